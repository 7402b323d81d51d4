import { readFileSync } from "node:fs";
import { dataFile } from "../data-folder.js";
import { seededRandom, shuffled } from "../random.js";

/** What the messages say: random words, or the recorded airline conversations. */
export const TEXT_KINDS = ["words", "airline"] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** Four of these are about 5 KB of new text a turn. */
const MESSAGE_LENGTH = 1250;
const VOCABULARY = 4000;
const LONGEST_WORD = 8;
const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** The texts of `count` messages; the same seed gives the same texts, and fewer are a beginning of more. */
export function messageTexts(kind: TextKind, seed: number, count: number): string[] {
  const random = seededRandom(seed);
  const pieces = kind === "words" ? randomWords(random) : airlineTexts(random);
  return Array.from({ length: count }, cutter(pieces));
}

/** Strings the pieces together and cuts them into messages, never within a character. */
function cutter(pieces: Iterator<string, never>): () => string {
  let rest = "";
  return () => {
    while (rest.length <= MESSAGE_LENGTH) rest += pieces.next().value;
    const end = MESSAGE_LENGTH + (rest.codePointAt(MESSAGE_LENGTH - 1)! > 0xffff ? 1 : 0);
    const text = rest.slice(0, end);
    rest = rest.slice(end);
    return text;
  };
}

function* randomWords(random: () => number): Generator<string, never> {
  const letter = (): string => LETTERS[Math.floor(random() * LETTERS.length)]!;
  const word = (): string => Array.from({ length: 1 + Math.floor(random() * LONGEST_WORD) }, letter).join("");
  const vocabulary = Array.from({ length: VOCABULARY }, word);
  for (;;) yield `${vocabulary[Math.floor(random() * VOCABULARY)]!} `;
}

/**
 * All conversations in a random order, round and round: they are about 73 turns long. A lap ends in the middle of a
 * message, so that the next one is cut elsewhere and no message is said twice.
 */
function* airlineTexts(random: () => number): Generator<string, never> {
  const texts = shuffled(airlineConversations(), random).flat();
  for (;;) yield* texts;
}

function airlineConversations(): string[][] {
  const lines = readFileSync(dataFile("airline-transcripts.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const { messages } = JSON.parse(line) as { messages: { content: string | null }[] };
    return messages.flatMap(({ content }) => (content === null ? [] : [content]));
  });
}
