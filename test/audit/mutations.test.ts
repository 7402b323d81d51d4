import { describe, expect, it } from "vitest";
import { expected, findingsIn } from "./cases.js";

/** Code with one effect before, or around, one question; what it does is put in the place of `EFFECT`. */
interface Mutation {
  readonly name: string;
  /** The rule that is to be found; none where the effect cannot have happened before the question. */
  readonly rule: string | undefined;
  readonly code: string;
}

const EFFECTS = [
  'await stripe.refunds.create({ id: "1" });',
  'await pool.query("INSERT INTO orders VALUES (1)");',
  'await fetch("https://x.test", { method: "POST", body: "{}" });',
  'await appendFile("log.txt", "line");',
];

const MUTATIONS: readonly Mutation[] = [
  {
    name: "in the node itself",
    rule: "WP101",
    code: `async function node(state) {
  EFFECT // effect
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "moved into a helper",
    rule: "WP101",
    code: `async function act() {
  EFFECT // effect
}
async function node(state) {
  await act();
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "moved into a helper of a helper",
    rule: "WP101",
    code: `const act = async () => {
  EFFECT // effect
};
const prepare = async () => act();
async function node(state) {
  await prepare();
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "and the question moved into a helper",
    rule: "WP101",
    code: `const ask = (text) => interrupt(text); // found
async function node(state) {
  EFFECT // effect
  return { ok: ask("ok?") };
}`,
  },
  {
    name: "moved into another file",
    rule: "WP101",
    code: `import { act } from "./act.js";
async function node(state) {
  await act();
  return { ok: interrupt("ok?") }; // found
}
// file: act.ts
export async function act() {
  EFFECT
}`,
  },
  {
    name: "moved into another file, behind a barrel and another name",
    rule: "WP101",
    code: `import { perform } from "./barrel.js";
async function node(state) {
  await perform();
  return { ok: interrupt("ok?") }; // found
}
// file: barrel.ts
export { act as perform } from "./act.js";
// file: act.ts
export const act = async () => {
  EFFECT
};`,
  },
  {
    name: "moved into a loop before the question",
    rule: "WP101",
    code: `async function node(state) {
  for (const item of state.items) {
    EFFECT // effect
  }
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "moved behind the question of a loop",
    rule: "WP103",
    code: `async function node(state) {
  for (const item of state.items) {
    const ok = interrupt(item); // found
    if (!ok) continue;
    EFFECT // effect
  }
  return {};
}`,
  },
  {
    name: "moved into the branch of a loop that goes on",
    rule: "WP103",
    code: `async function node(state) {
  for (const item of state.items) {
    if (state.plain(item)) {
      EFFECT // effect
      continue;
    }
    console.log(interrupt(item)); // found
  }
  return {};
}`,
  },
  {
    name: "moved into a branch that comes together again",
    rule: "WP101",
    code: `async function node(state) {
  if (state.vip) {
    EFFECT // effect
  }
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "moved into a branch that leaves",
    rule: undefined,
    code: `async function node(state) {
  if (state.vip) {
    EFFECT
    return {};
  }
  return { ok: interrupt("ok?") };
}`,
  },
  {
    name: "moved into a branch that leaves the loop",
    rule: undefined,
    code: `async function node(state) {
  for (const item of state.items) {
    if (state.plain(item)) {
      EFFECT
      break;
    }
    console.log(interrupt(item));
  }
  return {};
}`,
  },
  {
    name: "moved into the other branch",
    rule: undefined,
    code: `async function node(state) {
  if (state.vip) {
    EFFECT
  } else {
    console.log(interrupt("ok?"));
  }
  return {};
}`,
  },
  {
    name: "moved behind the question",
    rule: undefined,
    code: `async function node(state) {
  const ok = interrupt("ok?");
  if (ok) {
    EFFECT
  }
  return { ok };
}`,
  },
  {
    name: "moved into the try block whose catch asks",
    rule: "WP204",
    code: `async function node(state) {
  try {
    EFFECT // effect
  } catch {
    return { ok: interrupt("again?") }; // found
  }
  return {};
}`,
  },
  {
    name: "moved into a catch block before the question",
    rule: "WP101",
    code: `async function node(state) {
  try {
    state.check();
  } catch {
    EFFECT // effect
  }
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "moved into a finally block before the question",
    rule: "WP101",
    code: `async function node(state) {
  try {
    state.check();
  } finally {
    EFFECT // effect
  }
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "moved between two questions",
    rule: "WP102",
    code: `async function node(state) {
  const first = interrupt("first?");
  EFFECT // effect
  return { first, second: interrupt("second?") }; // found
}`,
  },
  {
    name: "hidden behind bind",
    rule: "WP101",
    code: `class Agent {
  async act() {
    EFFECT // effect
  }
  async node(state) {
    await this.act();
    return { ok: interrupt("ok?") }; // found
  }
}
const agent = new Agent();
new StateGraph({}).addNode("n", agent.node.bind(agent));`,
  },
  {
    name: "hidden behind a factory",
    rule: "WP101",
    code: `const makeNode = (deps) => async (state) => {
  await deps.act();
  return { ok: interrupt("ok?") }; // found
};
const deps = {
  act: async () => {
    EFFECT // effect
  },
};
new StateGraph({}).addNode("n", makeNode(deps));`,
  },
  {
    name: "hidden behind a class that extends another",
    rule: "WP101",
    code: `class Base {
  async act() {
    EFFECT // effect
  }
}
class Agent extends Base {
  node = async (state) => {
    await this.act();
    return { ok: interrupt("ok?") }; // found
  };
}
new StateGraph({}).addNode("n", new Agent().node);`,
  },
  {
    name: "hidden behind a function that is given functions",
    rule: "WP101",
    code: `const twice = async (fn) => {
  await fn();
  await fn();
};
async function node(state) {
  await twice(async () => {
    EFFECT // effect
  });
  return { ok: interrupt("ok?") }; // found
}`,
  },
  {
    name: "hidden behind a wrapper around the node",
    rule: "WP101",
    code: `const audited = (fn) => async (state) => {
  EFFECT // effect
  return fn(state);
};
new StateGraph({}).addNode("n", audited(async (state) => ({ ok: interrupt("ok?") }))); // found`,
  },
  {
    name: "put behind task()",
    rule: undefined,
    code: `const act = task("act", async () => {
  EFFECT
});
async function node(state) {
  await act();
  return { ok: interrupt("ok?") };
}`,
  },
  {
    name: "put behind a flag that ends the loop",
    rule: undefined,
    code: `async function node(state) {
  let done = false;
  for (const item of state.items) {
    if (done) break;
    if (state.plain(item)) {
      EFFECT
      done = true;
      continue;
    }
    console.log(interrupt(item));
    done = true;
  }
  return {};
}`,
  },
];

const CHANGING = new Set(["WP101", "WP102", "WP103", "WP204"]);

describe.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))("an effect %s", (_, mutation) => {
  it.each(EFFECTS)("has the right verdict, rule and line: %s", (effect) => {
    const code = mutation.code.replace("EFFECT", effect);
    const found = findingsIn(code).filter(({ code: rule }) => CHANGING.has(rule));
    expect([...new Set(found.map(({ code: rule }) => rule))]).toEqual(
      mutation.rule === undefined ? [] : [mutation.rule],
    );
    if (mutation.rule === undefined) return;
    const { found: asked, effects } = expected(code);
    expect(found.map(({ interrupt }) => interrupt.line)).toEqual(asked);
    if (effects.length > 0) expect(found.map((each) => each.effect?.line)).toEqual(effects);
    expect(found.every(({ effect: at }) => at !== undefined)).toBe(true);
  });
});

/** Ways to catch an interrupt, and whether it is lost. */
const HANDLERS: readonly (readonly [name: string, lost: boolean, handler: string])[] = [
  ["swallows everything", true, "catch (error) { return { error }; }"],
  ["names nothing", true, "catch { return {}; }"],
  ["throws it again", false, "catch (error) { throw error; }"],
  ["throws it again under another name", false, "catch (problem) { const again = problem; throw again; }"],
  ["asks LangGraph", false, "catch (e) { if (isGraphInterrupt(e)) throw e; return {}; }"],
  ["asks LangGraph for any bubble-up", false, "catch (e) { if (isGraphBubbleUp(e)) throw e; return {}; }"],
  ["asks for the class", false, "catch (e) { if (e instanceof GraphInterrupt) throw e; return {}; }"],
  ["asks for the name", false, 'catch (e) { if (e.name === "GraphInterrupt") throw e; return {}; }'],
  ["asks for another class", true, "catch (e) { if (e instanceof TypeError) throw e; return {}; }"],
  ["throws another error", true, 'catch (e) { throw new Error("failed", { cause: e }); }'],
  ["throws the class itself", true, "catch (e) { if (e instanceof GraphInterrupt) throw Error; return {}; }"],
  ["throws what is no interrupt", true, "catch (e) { if (!isGraphInterrupt(e)) throw e; return {}; }"],
  ["does something first", false, "catch (e) { console.error(e); throw e; }"],
];

describe("a handler around a question", () => {
  it.each(HANDLERS)("that %s: lost %s", (_, lost, handler) => {
    const plain = `async function node(state) {\n  try {\n    return { ok: interrupt("ok?") };\n  } ${handler}\n}`;
    const inHelper = `const ask = async () => interrupt("ok?");\nasync function node(state) {\n  try {\n    return { ok: await ask() };\n  } ${handler}\n}`;
    for (const code of [plain, inHelper]) {
      expect(findingsIn(code).filter(({ code: rule }) => rule === "WP201")).toHaveLength(lost ? 1 : 0);
    }
  });
});
