import { objectOf, textOf } from '../json/json.ts';
import type { UserLocation } from './conversation.ts';

/** Reads the user's location for a search in the spelling of Anthropic and OpenAI; undefined if it is empty. */
export function readLocation(value: unknown): UserLocation | undefined {
  const { city, region, country, timezone } = objectOf(value);
  const location = { city: textOf(city), region: textOf(region), country: textOf(country), timezone: textOf(timezone) };
  return Object.values(location).every((member) => member === undefined) ? undefined : location;
}
