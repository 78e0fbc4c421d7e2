/** Schema of a configuration file: the management API's fields, with entries identified by names. */

import { createUserGroup } from '@switchyard/contract/accounts/user-groups';
import { savePrice } from '@switchyard/contract/catalog/prices';
import { IMPORT_MAX } from '@switchyard/contract/channels/bulk-edits-and-import';
import { createChannel } from '@switchyard/contract/channels/channels';
import {
  isSecret,
  type SettingName,
  settingDefinitions,
  settingFromText,
  settingNames,
  settingToText,
} from '@switchyard/contract/operations/settings';
import { findProvider } from '@switchyard/relay';
import { z } from 'zod';
import { hasPlaceholder } from './placeholders.ts';

/** A group in a file is complete: a missing field has its default. */
export const fileGroupSchema = createUserGroup.omit({ symbol: true }).extend({ enable: z.boolean().default(true) });
export type FileGroup = z.output<typeof fileGroupSchema>;

export const filePriceSchema = savePrice.omit({ model: true });
export type FilePrice = z.output<typeof filePriceSchema>;

/** Fields that may contain placeholders. They are validated again after substitution. */
export const channelSecretsSchema = createChannel.pick({ key: true, model_headers: true, proxy: true });

const { name, key, ...otherFields } = createChannel.omit({ type: true, keys_as: true }).shape;

/** Channel in a file, with its fields in the order in which they are written. */
export const fileChannelSchema = z.object({
  name,
  /** Provider by its id, which is readable, unlike its number. */
  provider: z.string().refine((id) => findProvider(id) !== undefined, 'There is no such provider'),
  key,
  ...otherFields,
  proxy: z
    .union([z.string().refine(hasPlaceholder), createChannel.shape.proxy.unwrap()], 'Not a proxy address')
    .default(''),
  /** Status set by the operator; automatic disabling is not part of the file. */
  status: z.enum(['enabled', 'disabled']).default('enabled'),
});
export type FileChannel = z.output<typeof fileChannelSchema>;

const settingsByOption = new Map<string, SettingName>(
  settingNames.map((name) => [settingDefinitions[name].option, name]),
);

export function findSettingByOption(option: string): SettingName | undefined {
  return settingsByOption.get(option);
}

/** Option → its value as text, as in the management API. */
const settings = z.record(z.string(), z.json()).transform((values, check) =>
  Object.fromEntries(
    Object.entries(values).map(([option, value]) => {
      const refuse = (message: string, path: readonly PropertyKey[] = []): void =>
        void check.issues.push({ code: 'custom', message, path: [option, ...path], input: undefined });
      const name = findSettingByOption(option);
      if (name === undefined) refuse('There is no such setting');
      else if (isSecret(name)) refuse('A secret cannot be set in this file. Set it in the console.');
      else
        try {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          return [option, settingToText(name, settingFromText(name, text))];
        } catch (error) {
          if (!(error instanceof z.ZodError)) throw error;
          for (const issue of error.issues) refuse(issue.message, issue.path);
        }
      return [option, ''];
    }),
  ),
);

const once = (list: readonly { name: string }[], check: z.core.ParsePayload): void => {
  const names = new Set<string>();
  for (const [at, { name }] of list.entries()) {
    if (names.has(name))
      check.issues.push({
        code: 'custom',
        message: 'The file contains this name more than once',
        path: [at, 'name'],
        input: undefined,
      });
    names.add(name);
  }
};

export const configFileSchema = z.object({
  version: z.literal(1),
  settings: settings.optional(),
  /** Groups by symbol. */
  groups: z.record(createUserGroup.shape.symbol, fileGroupSchema).optional(),
  /** Prices by model. */
  prices: z.record(savePrice.shape.model, filePriceSchema).optional(),
  channels: z
    .array(fileChannelSchema)
    .max(IMPORT_MAX)
    .check((payload) => once(payload.value, payload))
    .optional(),
});
export type ConfigFile = z.output<typeof configFileSchema>;
