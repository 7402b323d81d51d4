import type { EffectDefinition } from "../../nodes/definition.js";
import { effect, type Effect } from "../../nodes/effect.js";
import type { Ledger } from "../../nodes/ledger.js";
import type { Downstream, Receipt } from "../downstream/fake-downstream.js";

export interface Payment {
  readonly id: string;
  readonly cents?: number;
}

type Options = Partial<EffectDefinition<Payment, Receipt>> & { readonly blind?: boolean };

/** An effect that pays, keyed by the payment's id. With `blind` it has no lookup. */
export function paying(
  name: string,
  ledger: Ledger,
  bank: Downstream,
  { blind = false, ...rest }: Options = {},
): Effect<Payment, Receipt> {
  return effect<Payment, Receipt>({
    name,
    ledger,
    key: ({ id }) => id,
    run: (args, { key }) => bank.call(key, args),
    ...(!blind && { lookup: (_args, { key }) => bank.lookup(key) }),
    ...rest,
  });
}
