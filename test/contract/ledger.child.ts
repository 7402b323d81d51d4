import { aes256gcm, ledgerOf, SlimSaver } from "../../src/index.js";
import { ledgerChild } from "../../src/testing/index.js";

ledgerChild((parameters) => {
  const { file, key } = parameters as { file: string; key?: number };
  const sealed = key === undefined ? {} : { encryption: aes256gcm(new Uint8Array(32).fill(key)) };
  return ledgerOf(SlimSaver.fromConnString(file, sealed));
});
