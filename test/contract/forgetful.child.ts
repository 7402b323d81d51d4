import { SlimSaver } from "../../src/index.js";
import { checkpointerChild } from "../../src/testing/index.js";

/** Says that writes are stored when they are not. */
checkpointerChild((file) => {
  const saver = SlimSaver.fromConnString(file as string);
  saver.putWrites = () => Promise.resolve();
  return saver;
});
