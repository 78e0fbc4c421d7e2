/** Time ranges of list filters as named in URLs. */
import { oneOf } from '../table/url-list-state.ts';

export const timePresets = ['1h', 'today', '7d', '30d', '90d'] as const;
export type TimePreset = (typeof timePresets)[number];

export interface TimeTexts {
  time?: string | undefined;
  start_timestamp?: string | undefined;
  end_timestamp?: string | undefined;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Returns the preset's start in UTC seconds; "today" starts at local midnight. */
export function presetStart(preset: TimePreset, now: Date): number {
  const seconds = Math.floor(now.getTime() / 1000);
  if (preset === 'today')
    return Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 1000);
  return seconds - { '1h': HOUR, '7d': 7 * DAY, '30d': 30 * DAY, '90d': 90 * DAY }[preset];
}

/** Returns the time range in the URL, in UTC seconds. A preset takes precedence over a custom range. */
export function timeFilter(texts: TimeTexts, now: Date) {
  const preset = oneOf(texts.time, timePresets);
  return {
    start_timestamp: preset === undefined ? wholeNumber(texts.start_timestamp) : presetStart(preset, now),
    end_timestamp: preset === undefined ? wholeNumber(texts.end_timestamp) : undefined,
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isSafeInteger(value) ? value : undefined;
}
