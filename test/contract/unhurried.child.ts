import { SlimSaver } from "../../src/index.js";
import { systemClock } from "../../src/shared/clock.js";
import { checkpointerChild } from "../../src/testing/index.js";

export interface Unhurried {
  readonly file: string;
  readonly concurrency: "off" | "enforce";
  /** It begins so late that another process could be done with its run. */
  readonly late: boolean;
}

checkpointerChild((parameters) => {
  const { file, concurrency, late } = parameters as Unhurried;
  const saver = SlimSaver.fromConnString(file, { concurrency });
  const read = saver.getTuple.bind(saver);
  saver.getTuple = async (config) => {
    if (late) await systemClock.sleep(1_500);
    return read(config);
  };
  return saver;
});
