import { SlimSaver, fileObjects } from "../../src/index.js";
import { checkpointerChild } from "../../src/testing/index.js";

checkpointerChild((parameters) => {
  const { file, dir } = parameters as { file: string; dir?: string };
  return SlimSaver.fromConnString(file, dir === undefined ? {} : { objects: fileObjects(dir), objectsAbove: 0 });
});
