import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { SlimSaver } from "../../src/checkpointer/index.js";
import type { SerializableClass } from "../../src/checkpointer/index.js";
import { InvalidInputError } from "../../src/shared/errors.js";
import { LOOP, checkpointOf, openSaver, temporaryFolder, thread } from "./harness.js";
import { join } from "node:path";

class Money {
  constructor(
    readonly cents: number,
    readonly parts: Money[] = [],
  ) {}

  get total(): number {
    return this.cents + this.parts.reduce((sum, part) => sum + part.total, 0);
  }
}

class Secret {
  readonly #word: string;
  constructor(word: string) {
    this.#word = word;
  }
  say(): string {
    return this.#word;
  }
}

class Rated extends AIMessage {
  get stars(): unknown {
    return this.response_metadata.stars;
  }
}

const CLASSES: SerializableClass[] = [
  { name: "money", class: Money },
  {
    name: "secret",
    class: Secret,
    toData: (value: Secret) => value.say(),
    fromData: (word: string) => new Secret(word),
  },
  { name: "rated", class: Rated },
];

const VALUES = {
  money: new Money(5, [new Money(1), new Money(2)]),
  secret: [new Secret("sesame")],
  rated: new Rated({ content: "good", id: "r1", response_metadata: { stars: 4 } }),
};

async function stored(): Promise<string> {
  const file = join(temporaryFolder(), "agent.db");
  const saver = openSaver(file, { classes: CLASSES });
  const checkpoint = checkpointOf(VALUES);
  await saver.put(thread("t"), checkpoint, LOOP, checkpoint.channel_versions);
  await saver.close();
  return file;
}

async function valuesIn(saver: SlimSaver): Promise<typeof VALUES> {
  return (await saver.getTuple(thread("t")))?.checkpoint.channel_values as typeof VALUES;
}

describe("a class of the application", () => {
  it("comes back as itself where it is registered", async () => {
    const { money, secret, rated } = await valuesIn(openSaver(await stored(), { classes: CLASSES }));
    expect(money).toBeInstanceOf(Money);
    expect(money.total).toBe(8);
    expect(secret[0]?.say()).toBe("sesame");
    expect(rated).toBeInstanceOf(Rated);
    expect([rated.id, rated.content, rated.stars]).toEqual(["r1", "good", 4]);
  });

  it("comes back as its data where it is not, and harms nothing", async () => {
    const { money, secret, rated } = await valuesIn(openSaver(await stored()));
    expect(money).toEqual({
      cents: 5,
      parts: [
        { cents: 1, parts: [] },
        { cents: 2, parts: [] },
      ],
    });
    expect(secret).toEqual(["sesame"]);
    expect(rated).toMatchObject({ content: "good", id: "r1" });
  });

  it.each<[string, unknown]>([
    ["no list", {}],
    ["an entry that is none", [null]],
    ["an entry without a name", [{ class: Money }]],
    ["an entry without a class", [{ name: "x" }]],
    [
      "two of one name",
      [
        { name: "x", class: Money },
        { name: "x", class: Secret },
      ],
    ],
  ])("is refused when the option is %s", (_name, classes) => {
    expect(() => SlimSaver.fromConnString(":memory:", { classes: classes as never })).toThrow(InvalidInputError);
  });
});
