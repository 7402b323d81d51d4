import { hashOf } from "../shared/canonical.js";
import type { Store } from "../store/home.js";
import type { EffectId } from "./effect-row.js";

/** The same effect has the same id in every process. With encryption only who has the key can make it from the key. */
export function effectId(
  { tenant, encryption }: Pick<Store, "tenant" | "encryption">,
  name: string,
  key: string,
): EffectId {
  const text = JSON.stringify([tenant, name, key]);
  const digest =
    encryption === undefined ? hashOf(text) : encryption.fingerprint(Buffer.from(`effect${text}`)).toString("hex");
  return `eff_${digest.slice(0, 32)}`;
}
