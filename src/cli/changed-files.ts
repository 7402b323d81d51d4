import { execFileSync } from "node:child_process";
import { CommandFailure } from "./failure.js";

/**
 * The files that differ from a commit, relative to the working directory, and those that git does not know yet.
 *
 * @throws CommandFailure when this is no repository, or git knows no such commit
 */
export function filesChangedSince(ref: string, cwd: string): Set<string> {
  // A name that begins with a dash would be taken for an option.
  if (ref.startsWith("-")) throw new CommandFailure(`"${ref}" is no commit, branch or tag.`);
  const changed = git(["diff", "--name-only", "--relative", "-z", ref, "--"], ref, cwd);
  const added = git(["ls-files", "--others", "--exclude-standard", "-z"], ref, cwd);
  return new Set([...changed, ...added]);
}

function git(args: readonly string[], ref: string, cwd: string): string[] {
  try {
    const output = execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    return output.split("\0").filter((name) => name !== "");
  } catch (cause) {
    throw new CommandFailure(`git cannot say what has changed since "${ref}". Is this a repository, and is it there?`, {
      cause,
    });
  }
}
