import { deadlines, requestChanges } from '@switchyard/contract/channels/channel-nested-settings';
import {
  type Channel,
  type CreateChannel,
  createChannel,
  type Provider,
  SECRET_MASK,
} from '@switchyard/contract/channels/channels';

export const newValues: CreateChannel = {
  name: '',
  type: 0,
  key: '',
  keys_as: 'channels',
  base_url: '',
  options: {},
  models: [],
  group: ['default'],
  tag: '',
  model_mapping: {},
  model_headers: {},
  proxy: '',
  test_model: '',
  priority: 0,
  weight: 1,
  only_chat: false,
  held_prompt: 'all',
  cost: { ratio: null, models: {} },
  lacks: [],
  deadlines: deadlines.parse({}),
  request_changes: requestChanges.parse({}),
  caps: { day: null, month: null },
};

/** Returns a channel's form values. The key is empty, which keeps the stored one. */
export function formValues(channel: Channel): CreateChannel {
  return {
    name: channel.name,
    type: channel.type,
    key: '',
    keys_as: 'channels',
    base_url: channel.base_url,
    options: channel.options,
    models: channel.models,
    group: channel.group,
    tag: channel.tag,
    model_mapping: channel.model_mapping,
    model_headers: channel.model_headers,
    proxy: channel.proxy,
    test_model: channel.test_model,
    priority: channel.priority,
    weight: channel.weight,
    only_chat: channel.only_chat,
    held_prompt: channel.held_prompt,
    cost: channel.cost,
    lacks: channel.lacks,
    deadlines: channel.deadlines,
    request_changes: channel.request_changes,
    caps: channel.caps,
  };
}

/** Returns another channel's settings for a new one, without the masked secrets. */
export function copyValues(channel: Channel, name: string): CreateChannel {
  const values = formValues(channel);
  const plain = Object.entries(values.model_headers).filter(([, value]) => !value.startsWith(SECRET_MASK));
  return {
    ...values,
    name,
    model_headers: Object.fromEntries(plain),
    proxy: values.proxy.startsWith(SECRET_MASK) ? '' : values.proxy,
  };
}

/** Adds an empty value for each option of any provider, so that an untouched field is not undefined. */
export function withEveryOption(values: CreateChannel, providers: readonly Provider[]): CreateChannel {
  const empty = providers.flatMap(({ options }) => options.map(({ name }) => [name, ''] as const));
  return { ...values, options: { ...Object.fromEntries(empty), ...values.options } };
}

/** Returns the values without options that are empty or unknown to the provider. */
export function withKnownOptions(values: CreateChannel, provider: Provider | undefined): CreateChannel {
  const known = new Set(provider?.options.map(({ name }) => name));
  const options = Object.entries(values.options).filter(([name, value]) => known.has(name) && value !== '');
  return { ...values, options: Object.fromEntries(options) };
}

/**
 * Returns the contract's schema extended by the provider's rules: a required address and required options.
 */
export function channelSchema(providers: readonly Provider[]) {
  return createChannel.superRefine((values, context) => {
    const provider = providers.find(({ type }) => type === values.type);
    const require = (path: string[]) =>
      context.addIssue({ code: 'too_small', origin: 'string', minimum: 1, input: '', path });
    if (provider === undefined) require(['type']);
    else if (provider.base_url === '' && values.base_url === '') require(['base_url']);
    for (const option of provider?.options ?? []) {
      if (option.required && (values.options[option.name] ?? '') === '') require(['options', option.name]);
    }
  });
}

/** Returns the number of keys in a text: one for each line, or one for the JSON of a service account. */
export function countKeys(text: string): number {
  if (text.trimStart().startsWith('{')) return 1;
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

/** Returns how many of the folded fields differ from those of a new channel, by section. */
export function changedFields(values: CreateChannel) {
  const count = (...changed: boolean[]) => changed.filter(Boolean).length;
  return {
    models: count(values.test_model !== '', Object.keys(values.model_mapping).length > 0),
    routing: count(
      values.tag !== '',
      values.priority !== 0,
      values.weight !== 1,
      values.only_chat,
      values.lacks.length > 0,
    ),
    deadlines: count(...Object.values(values.deadlines).map((own) => own !== null && own !== 0)),
    requests: count(
      values.request_changes.streaming !== 'as-asked',
      values.request_changes.system_as_user,
      values.request_changes.bodies.length > 0,
    ),
    connection: count(values.proxy !== '', Object.keys(values.model_headers).length > 0),
  };
}
