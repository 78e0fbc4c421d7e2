import { objectOf, textOf } from '../json/json.ts';
import type { UserLocation } from './conversation.ts';

/** Where a search takes its user to be, as Anthropic and OpenAI spell it; undefined when it says nothing. */
export function readLocation(value: unknown): UserLocation | undefined {
  const { city, region, country, timezone } = objectOf(value);
  const location = {
    city: textOf(city),
    region: textOf(region),
    country: textOf(country),
    timezone: textOf(timezone),
  };
  return Object.values(location).every((member) => member === undefined) ? undefined : location;
}
