import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { checkpointerChild } from "../../src/testing/index.js";

checkpointerChild((file) => SqliteSaver.fromConnString(file as string));
