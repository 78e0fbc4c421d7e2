/** The management API as Markdown, from its OpenAPI document: one page for each feature, and one that lists them. */
import { z } from 'zod';
import { describeApi } from '../../apps/server/src/platform/http/open-api.ts';
import { features } from '../../packages/contract/src/all-feature-routes.ts';

const jsonSchema = z.record(z.string(), z.unknown());
type JsonSchema = z.infer<typeof jsonSchema>;
const content = z.record(z.string(), z.object({ schema: jsonSchema }));
const operation = z.object({
  tags: z.array(z.string()),
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean(), schema: jsonSchema })),
  requestBody: z.object({ content }).optional(),
  responses: z.object({ 200: z.object({ content }) }),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });
type Operation = z.infer<typeof operation> & { method: string; path: string };

const DEPTH_MAX = 5;
/** Bounds of integers that are only those of the type. */
const OBVIOUS = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

const asSchema = (value: unknown): JsonSchema => jsonSchema.safeParse(value).data ?? {};
const asList = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.map(asSchema) : []);
const formatCode = (value: unknown): string => `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;

const typeSchema = z.object({ type: z.union([z.string(), z.array(z.string())]), format: z.string() }).partial();

/** Describes the allowed values in a few words. */
function describeType(schema: JsonSchema): string {
  const alternatives = asList(schema['anyOf'] ?? schema['oneOf']);
  if (alternatives.length > 0) return [...new Set(alternatives.map(describeType))].join(' or ');
  if ('const' in schema) return formatCode(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(formatCode).join(', ');
  const { type: types = 'any', format } = typeSchema.parse(schema);
  const type = Array.isArray(types) ? types.join(' or ') : types;
  if (type === 'array') return `list of ${describeType(asSchema(schema['items']))}`;
  return format === undefined ? type : `${type} (${format})`;
}

function describeBounds(schema: JsonSchema): string {
  const bound = (name: string, words: string, of = ''): string[] => {
    const value = schema[name];
    return typeof value === 'number' && !OBVIOUS.has(value) ? [`${words} ${value}${of}`] : [];
  };
  return [
    ...bound('minimum', 'from'),
    ...bound('exclusiveMinimum', 'above'),
    ...bound('maximum', 'to'),
    ...bound('minLength', 'at least', ' characters'),
    ...bound('maxLength', 'at most', ' characters'),
    ...bound('minItems', 'at least', ' entries'),
    ...bound('maxItems', 'at most', ' entries'),
    ...('default' in schema ? [`default ${formatCode(schema['default'])}`] : []),
  ].join(', ');
}

interface Row {
  name: string;
  type: string;
  notes: string;
}

function listFields(schema: JsonSchema, prefix = '', depth = 0): Row[] {
  const alternatives = asList(schema['anyOf'] ?? schema['oneOf']);
  if (alternatives.length > 0)
    return alternatives.flatMap((one) => listFields(one, prefix, depth)).filter(isFirstOfItsName);
  if (schema['type'] === 'array') return listFields(asSchema(schema['items']), `${prefix}[]`, depth);
  const properties = Object.entries(asSchema(schema['properties']));
  if (depth >= DEPTH_MAX) return [];
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return properties.flatMap(([key, value]) => {
    const inner = asSchema(value);
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const notes = [required.has(key) ? '' : 'optional', describeBounds(inner)].filter((note) => note !== '');
    return [{ name, type: describeType(inner), notes: notes.join(', ') }, ...listFields(inner, name, depth + 1)];
  });
}

const isFirstOfItsName = ({ name }: Row, at: number, rows: readonly Row[]): boolean =>
  rows.findIndex((row) => row.name === name) === at;

function formatTable(title: string, rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const lines = rows.map(({ name, type, notes }) => `| \`${name}\` | ${type} | ${notes} |`);
  return ['', title, '', '| field | is | |', '|---|---|---|', ...lines];
}

/** Returns the schema of a response inside its envelope. */
function describeResponse({ responses }: Operation): string[] {
  const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(responses[200].content);
  const wrapped = type === 'application/json';
  const data = wrapped ? asSchema(asSchema(schema['properties'])['data']) : schema;
  const rows = listFields(data);
  const kind = describeType(data);
  const words = wrapped ? `\`data\`: ${kind}` : `${type}: ${kind}`;
  return rows.length === 0 ? ['', `**Answer**, ${words}`] : formatTable(`**Answer**, ${words}`, rows);
}

function describeOperation(one: Operation): string {
  const { method, path, operationId, summary, description, parameters, requestBody } = one;
  const given = parameters.map(({ name, in: place, required, schema }) => ({
    name,
    type: describeType(schema),
    notes: [place === 'path' ? 'in the path' : required ? '' : 'optional', describeBounds(schema)]
      .filter((note) => note !== '')
      .join(', '),
  }));
  const body = requestBody?.content['application/json']?.schema ?? {};
  const bodyRows = listFields(body);
  return [
    `## ${operationId.split('.')[1]}`,
    '',
    '```http',
    `${method} ${path}`,
    '```',
    '',
    `${summary}. ${description}`,
    ...formatTable('**Parameters**', given),
    ...formatTable('**Body**', bodyRows),
    ...(requestBody !== undefined && bodyRows.length === 0 ? ['', `**Body**, ${describeType(body)}`] : []),
    ...describeResponse(one),
    '',
  ].join('\n');
}

const toKebabCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const toWords = (name: string): string => {
  const words = toKebabCase(name).replaceAll('-', ' ');
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/^Api\b/, 'API');
};

const intro = `# Management API

Everything that the console does, made from the contract by which server and console agree. The same as an OpenAPI document is at
\`GET /api/openapi.json\` of a running gateway.

Calls carry the cookie of a session, or \`Authorization: Bearer\` with an [access token](../manual/user.md#access-tokens). Answers are
\`{"success": true, "message": "", "data": …}\`, refusals \`{"success": false, "message", "code", "request_id"}\` with the status that
fits. Amounts are in points (500,000 are one US dollar), times in seconds since 1970. Who may call what is listed in
[Who may call what](../authorization.md); the API that models are called by is another: [Relay API](../manual/relay-api.md).

| | calls |
|---|---|
`;

/** Pages by their source path, as if they were among the documents. */
export function buildApiReference(version: string): Map<string, string> {
  const { paths } = document.parse(describeApi(features, version));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Operation => ({ ...one, path, method: method.toUpperCase() })),
  );
  const names = [...new Set(operations.flatMap(({ tags }) => tags))].toSorted();
  const pages = new Map<string, string>();
  const rows = names.map((name) => {
    const own = operations.filter(({ tags }) => tags.includes(name));
    const title = toWords(name);
    pages.set(`docs/api/${toKebabCase(name)}.md`, `# ${title}\n\n${own.map(describeOperation).join('\n')}`);
    const calls = own.map(({ operationId }) => {
      const call = operationId.split('.')[1] ?? '';
      return `[${call}](${toKebabCase(name)}.md#${call.toLowerCase()})`;
    });
    return `| [${title}](${toKebabCase(name)}.md) | ${calls.join(', ')} |`;
  });
  return new Map([['docs/api/reference.md', `${intro}${rows.join('\n')}\n`], ...pages]);
}
