import pc from "picocolors";

export type Colors = ReturnType<typeof pc.createColors>;

/** Colours for a stream: on a terminal, or where `FORCE_COLOR` asks for them; never where `NO_COLOR` is set. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Colors {
  const { NO_COLOR: no = "", FORCE_COLOR: force = "" } = env;
  if (no !== "") return pc.createColors(false);
  if (force !== "") return pc.createColors(force !== "0");
  return pc.createColors(stream.isTTY === true && env.TERM !== "dumb");
}
