import { isObject, type JsonObject } from '../../../json/json.ts';

const instructing: ReadonlySet<unknown> = new Set(['system', 'developer']);

export function systemAsUser({ instructions, ...body }: JsonObject): JsonObject {
  const { input } = body;
  const said = typeof input === 'string' ? [user(input)] : Array.isArray(input) ? input.map(asUser) : [];
  const told = typeof instructions === 'string' && instructions !== '' ? [user(instructions)] : [];
  return { ...body, input: [...told, ...said] };
}

const user = (content: string) => ({ type: 'message', role: 'user', content });

function asUser(item: unknown): unknown {
  return isObject(item) && instructing.has(item['role']) ? { ...item, role: 'user' } : item;
}
