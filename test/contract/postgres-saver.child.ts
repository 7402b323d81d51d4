import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { checkpointerChild } from "../../src/testing/index.js";

/** Where the tables of one test are. */
export interface Place {
  readonly server: string;
  readonly schema: string;
}

checkpointerChild((parameters) => {
  const { server, schema } = parameters as Place;
  return PostgresSaver.fromConnString(server, { schema });
});
