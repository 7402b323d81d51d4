import { expect, it } from "vitest";
import { aligned, cell, page } from "../../src/cli/layout.js";

const shout = (text: string): string => `<${text}>`;

it("cells of one column stand below each other, whatever their colour and width", () => {
  expect(
    aligned([
      [cell("a", shout), cell("x")],
      [cell("東京"), cell("y")],
    ]),
  ).toEqual(["<a>     x", "東京  y"]);
});

it("a text is escaped before it is coloured and measured", () => {
  expect(
    aligned([
      [cell("\u001b", shout), cell("x")],
      [cell("abcde"), cell("y")],
    ]),
  ).toEqual(["<\\x1b>   x", "abcde  y"]);
});

it("the last cell of a line pushes nobody to the right", () => {
  expect(
    aligned([
      [cell("a"), cell("a long explanation")],
      [cell("b"), cell("c"), cell("d")],
    ]),
  ).toEqual(["a  a long explanation", "b  c  d"]);
});

it("a section without lines is left out", () => {
  const sections = [
    { name: "todos", lines: [] },
    { name: "next", lines: [[cell("model")], [cell("tools")]] },
  ];
  expect(page(sections, shout)).toEqual(["<next>  model", "<>      tools"]);
});
