import type { ProcessorType } from '@switchyard/contract/processor-types';
import { startScriptedAlipay } from './scripted-alipay.ts';
import { startScriptedEpay } from './scripted-epay.ts';
import type { ScriptedOptions, ScriptedProcessor } from './scripted-processor.ts';
import { startScriptedStripe } from './scripted-stripe.ts';

type ScriptedType = Exclude<ProcessorType, 'manual'>;

const starts: Partial<Record<ScriptedType, (options: ScriptedOptions) => Promise<ScriptedProcessor>>> = {
  alipay: startScriptedAlipay,
  epay: startScriptedEpay,
  stripe: startScriptedStripe,
};

/** Plays the payment company on a free port of this machine. Whoever starts it closes it. */
export function startScriptedProcessor(
  type: ScriptedType,
  options: ScriptedOptions = {},
): Promise<ScriptedProcessor> {
  return starts[type](options);
}

export const scriptedTypes = Object.keys(starts) as ScriptedType[];
