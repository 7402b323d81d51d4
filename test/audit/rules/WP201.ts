import type { Cases } from "../cases.js";

export const cases: Cases = {
  invalid: [
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") }; // found
  } catch (error) {
    return { error };
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") }; // found
  } catch (error) {
    if (error instanceof GraphInterrupt) throw new Error("paused", { cause: error });
    throw error;
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") }; // found
  } catch (error) {
    if (error instanceof GraphInterrupt) throw Error;
    throw error;
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") }; // found
  } catch (error) {
    if (isGraphInterrupt(error.name)) throw error;
    return {};
  }
}`,
    `async function node(state) {
  return ask().catch(() => ({}));
}
async function ask() {
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  const [result] = await Promise.allSettled([ask()]);
  return result;
}
async function ask() {
  return { ok: interrupt("ok?") }; // found
}`,
    `async function node(state) {
  return pRetry(() => ask());
}
async function ask() {
  return { ok: interrupt("ok?") }; // found
}`,
    `const safely = (fn) => async (state) => {
  try {
    return await fn(state);
  } catch {
    return { failed: true };
  }
};
const ask = async (state) => ({ ok: interrupt("ok?") }); // found
new StateGraph({}).addNode("n", safely(ask));`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") }; // found
  } finally {
    return {};
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") }; // found
  } catch (error) {
    return failed(error);
  }
}
function failed(error) {
  return { error: String(error) };
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") }; // found
  } catch (error) {
    if (error.name === "GraphInterrupt") console.log("paused");
    return {};
  }
}`,
  ],
  valid: [
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    if (isGraphInterrupt(error)) throw error;
    return {};
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    return {};
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    if (error instanceof GraphInterrupt) throw error;
    return {};
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (e) {
    const error = e as Error;
    if (error.name === "GraphInterrupt") throw error;
    return {};
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    console.error(error);
    throw error;
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    if (!isGraphInterrupt(error)) return {};
    throw error;
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    if (error.code === "ENOENT") return {};
    throw error;
  }
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    rethrow(error);
    return {};
  }
}
function rethrow(error) {
  if (isGraphBubbleUp(error)) throw error;
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } catch (error) {
    if (isPause(error)) throw error;
    return {};
  }
}
function isPause(e) {
  return e instanceof GraphInterrupt || e?.name === "NodeInterrupt";
}`,
    `async function node(state) {
  try {
    state.parse();
  } catch {
    return {};
  }
  return { ok: interrupt("ok?") };
}`,
    `async function node(state) {
  try {
    return { ok: interrupt("ok?") };
  } finally {
    state.close();
  }
}`,
    `async function node(state) {
  return ask().catch((error) => {
    if (isGraphInterrupt(error)) throw error;
    return {};
  });
}
async function ask() {
  return { ok: interrupt("ok?") };
}`,
    `const app = new StateGraph({}).addNode("n", () => ({ ok: interrupt("ok?") })).compile({ checkpointer: new MemorySaver() });
async function main() {
  try {
    return await app.invoke({}, { configurable: { thread_id: "1" } });
  } catch {
    return null;
  }
}`,
  ],
};
