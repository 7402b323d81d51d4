import { SlimSaver } from "../../src/checkpointer/index.js";
import { checkpointerChild } from "../../src/testing/index.js";

checkpointerChild((file) => SlimSaver.fromConnString(file as string));
