import { plugin } from "../audit/eslint-plugin.js";

export { plugin as default };
