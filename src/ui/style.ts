import { createHash } from "node:crypto";
import { Markup } from "./html.js";

/** The whole look of the pages; the content policy names it by its hash, and allows no other. */
const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
article, .notice { border: 1px solid #8888; border-radius: .5rem; padding: 1rem; margin: 1rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
pre, .said { margin: .5rem 0; padding: .5rem; background: #8882; white-space: pre-wrap; overflow-wrap: anywhere; }
pre, textarea { font: .9rem/1.4 ui-monospace, monospace; }
.said { border-left: .3rem solid #b80; }
.problem { border-color: #c33; }
form { margin: .5rem 0; }
textarea { width: 100%; box-sizing: border-box; }
input, button, textarea { font-size: 1rem; padding: .3rem .6rem; }
`;

export const STYLE_ELEMENT = Markup.of([`<style>${STYLE}</style>`], []);

const HASH = createHash("sha256").update(STYLE).digest("base64");

/** Nothing is loaded, run, framed or sent elsewhere; forms go to where the page came from. */
export const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${HASH}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");
