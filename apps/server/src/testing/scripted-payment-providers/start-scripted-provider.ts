import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import { startScriptedAlipay } from './scripted-alipay.ts';
import { startScriptedEpay } from './scripted-epay.ts';
import type { ScriptedOptions, ScriptedProvider } from './scripted-provider.ts';
import { startScriptedStripe } from './scripted-stripe.ts';
import { startScriptedWxpay } from './scripted-wxpay.ts';

type ScriptedType = Exclude<PaymentProviderType, 'manual'>;

const starters: Readonly<Record<ScriptedType, (options: ScriptedOptions) => Promise<ScriptedProvider>>> = {
  alipay: startScriptedAlipay,
  epay: startScriptedEpay,
  stripe: startScriptedStripe,
  wxpay: startScriptedWxpay,
};

/** Starts a simulated payment provider on a free port of this machine. The caller closes it. */
export function startScriptedProvider(type: ScriptedType, options: ScriptedOptions = {}): Promise<ScriptedProvider> {
  return starters[type](options);
}

export const scriptedTypes = Object.keys(starters) as ScriptedType[];
