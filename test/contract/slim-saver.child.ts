import { SlimSaver } from "../../src/index.js";
import { checkpointerChild } from "../../src/testing/index.js";

checkpointerChild((file) => SlimSaver.fromConnString(file as string));
