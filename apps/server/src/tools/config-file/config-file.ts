/** A configuration file and an installation: what is between them, and how the one becomes the other. */
import { ApiError } from '@switchyard/contract/billing/exchange';
import { settings } from '@switchyard/contract/operations/settings';
import type { Api, Plan, Step } from './plan.ts';
import { planChannels } from './plan-channels.ts';
import { planGroups } from './plan-groups.ts';
import { planPrices } from './plan-prices.ts';
import { planSettings } from './plan-settings.ts';
import type { ReadFile } from './read-file.ts';
import { writeConfigFile } from './write-file.ts';

export { connect, explained } from './connect.ts';
export type { Api, Plan } from './plan.ts';
export { type ReadFile, readConfigFile } from './read-file.ts';

export interface PlanOptions {
  /** Deletes entries that the file's sections lack. A section that the file doesn't have stays unchanged. */
  deleting: boolean;
  /** Returns the value that a placeholder names. */
  variable: (name: string) => string | undefined;
}

/** Plans the steps that apply a file, ordered by their dependencies. */
export async function planFile(api: Api, file: ReadFile, { deleting, variable }: PlanOptions): Promise<Plan> {
  const { settings: options, groups, prices, channels } = file.content;
  const none: Plan = { steps: [], notes: [] };
  const ofSettings = options === undefined ? none : await planSettings(api, options, deleting);
  const ofGroups =
    groups === undefined
      ? { ...none, removals: [], created: new Set<string>() }
      : await planGroups(api, groups, deleting);
  const ofPrices = prices === undefined ? none : await planPrices(api, prices, deleting);
  const ofChannels =
    channels === undefined
      ? none
      : await planChannels(api, { file, wanted: channels, deleting, newGroups: ofGroups.created, variable });
  const plans = [ofSettings, ofGroups, ofPrices, ofChannels];
  const steps: Step[] = [...plans.flatMap((plan) => plan.steps), ...ofGroups.removals];
  return { steps, notes: plans.flatMap(({ notes }) => notes) };
}

/** @returns the file's text, and whether the token may read settings; without, they are not in it */
export async function exportFile(api: Api): Promise<{ text: string; withSettings: boolean }> {
  const withSettings = await mayReadSettings(api);
  return { text: await writeConfigFile(api, withSettings), withSettings };
}

async function mayReadSettings(api: Api): Promise<boolean> {
  try {
    await api(settings).list();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not-allowed') return false;
    throw error;
  }
}
