/** Families of what is read at the moment, and counted nowhere. */
import type { Family, NumberPoint } from './registry.ts';

export function gauge(
  name: string,
  help: string,
  labels: readonly string[],
  points: readonly NumberPoint[],
): Family {
  return { name, help, type: 'gauge', labels, points };
}

export function number(name: string, help: string, value: number): Family {
  return gauge(name, help, [], [{ values: [], value }]);
}

export function counted(name: string, help: string, value: number): Family {
  return { ...number(name, help, value), type: 'counter', points: [{ values: [], value }] };
}
