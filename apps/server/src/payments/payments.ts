/**
 * Payment companies by type. A processor that is connected remembers what it has learned of its vendor, such as
 * certificates, so that it is worth keeping.
 */
import { type ProcessorType, processorTypeFacts } from '@switchyard/contract/processor-types';
import {
  ConfigRefused,
  NoticeRefused,
  type Processor,
  type ProcessorConfig,
  type ProcessorDefinition,
  ProcessorRefused,
  type ProcessorWorld,
} from './processor.ts';
import { alipay } from './processors/alipay/alipay.ts';
import { epay } from './processors/epay/epay.ts';
import { manual } from './processors/manual.ts';
import { stripe } from './processors/stripe/stripe.ts';
import { wxpay } from './processors/wxpay/wxpay.ts';

export { ConfigRefused, NoticeRefused, ProcessorRefused };

const definitions: Readonly<Record<ProcessorType, ProcessorDefinition>> = {
  alipay,
  epay,
  manual,
  stripe,
  wxpay,
};

/** @throws ConfigRefused for a configuration that can never work: without a secret there is no processor */
export function connectProcessor(
  type: ProcessorType,
  config: ProcessorConfig,
  world: ProcessorWorld,
): Processor {
  checkConfig(type, config, world);
  return definitions[type].connect(config, world);
}

/**
 * Sets up at the vendor what notices need, when the configuration leaves that to us.
 * @returns fields of the configuration that it made
 * @throws ConfigRefused
 * @throws ProcessorRefused when the vendor says no; anything else when it could not be asked
 */
export async function prepareProcessor(
  type: ProcessorType,
  config: ProcessorConfig,
  world: ProcessorWorld,
): Promise<ProcessorConfig> {
  checkConfig(type, config, world);
  return (await definitions[type].prepare?.(config, world)) ?? {};
}

function checkConfig(type: ProcessorType, config: ProcessorConfig, { sandbox }: ProcessorWorld): void {
  const facts = processorTypeFacts[type];
  if (sandbox && !facts.sandbox) throw new ConfigRefused('sandbox', 'There is no test system');
  for (const { name, kind, required, options } of facts.fields) {
    const value = (config[name] ?? '').trim();
    if (value === '') {
      if (required) throw new ConfigRefused(name, `${name} is missing`);
    } else if (kind === 'choice' && options?.includes(value) !== true)
      throw new ConfigRefused(name, `${name} is none of its choices`);
    else if (kind === 'flag' && value !== 'true' && value !== 'false')
      throw new ConfigRefused(name, `${name} is neither true nor false`);
    else if (kind === 'address' && !isHttpAddress(value))
      throw new ConfigRefused(name, `${name} is not the address of a site`);
  }
}

function isHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}
