import { SlimSaver, fileObjects } from "../../src/index.js";
import { checkpointerChild } from "../../src/testing/index.js";

checkpointerChild((file) =>
  SlimSaver.fromConnString(file as string, { objects: fileObjects(`${file as string}-objects`), objectsAbove: 0 }),
);
