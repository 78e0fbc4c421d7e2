/** Turns the schema library's issues into field errors that name the rule and the value. */
import { describeExpectation, type FieldError } from '@switchyard/contract/errors';
import { describeValue } from '@switchyard/relay/json';
import type { z } from 'zod';
import { AppError } from './app-error.ts';

type Issue = z.core.$ZodIssue;

/**
 * Options of a parse whose issues become field errors: an issue has no message unless the schema defines one.
 * https://zod.dev/error-customization
 */
export const issueContext: z.core.ParseContext<Issue> = { error: () => '', reportInput: true };

/**
 * Options of the parse of a long body, in which each list and object reports its first violation only. The schema
 * library creates an issue for every violation before any can be left out, which takes seconds for a long body.
 */
export const firstIssueContext: z.core.ParseContextInternal<Issue> = { ...issueContext, abortEarly: true };

/** Bounds the error response of a body with thousands of violations, which would be a hundred times as long. */
const REPORTED_FIELDS_MAX = 50;
const KEYS_SHOWN = 10;

/** Names of fields that may contain a secret. `value` is a setting's. */
const secretName = /password|passphrase|key|secret|token|code|proxy|header|authorization|config|\bvalue\b/i;

/** @param given value that was parsed with `issueContext` */
export function invalidInput(issues: readonly Issue[], given: unknown): AppError {
  const fields = toFieldErrors(issues.slice(0, REPORTED_FIELDS_MAX), given);
  const [first] = fields;
  return new AppError('invalid-input', first === undefined ? 'The input is invalid' : toSentence(first), { fields });
}

/** @param given value that was parsed with `issueContext` */
export function toFieldErrors(issues: readonly Issue[], given: unknown): FieldError[] {
  return issues.map((issue) => ({
    path: issue.path.join('.'),
    rule: issue.code,
    message: describeIssue(issue, given),
    ...describeExpectation(issue),
  }));
}

function toSentence({ path, message }: FieldError): string {
  if (/^(must|has|is) /.test(message)) return `${path === '' ? 'The input' : path} ${message}`;
  return path === '' ? message : `${path}: ${message}`;
}

/** Returns the rule and the value. @param given value that was parsed with `issueContext` */
export function describeIssue(issue: Issue, given: unknown): string {
  if (issue.message !== '') return issue.message;
  // The schema library reports a text that is not a number as NaN.
  const value = Number.isNaN(issue.input) ? valueAt(given, issue.path) : issue.input;
  if (value === undefined) return 'is required';
  return `must ${describeRule(issue)}${describeGiven(issue, value)}`;
}

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, name) => Reflect.get(Object(value), name), given);

/** Returns the size of a text or list that is too short or too long, otherwise the value if it may be shown. */
function describeGiven(issue: Issue, value: unknown): string {
  const size = typeof value === 'string' || Array.isArray(value) ? Array.from(value).length : undefined;
  if (size !== undefined && issue.code === 'too_big') return `, not ${size}`;
  if (size !== undefined && issue.code === 'too_small') return issue.minimum === 1 ? '' : `, not ${size}`;
  return isShown(issue.path.join('.'), value) ? `, not ${describeValue(value)}` : '';
}

/** Returns whether a value is a scalar that cannot contain a secret. */
function isShown(path: string, value: unknown): boolean {
  if (secretName.test(path)) return false;
  if (typeof value === 'string') return !mayContainCredentials(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** Returns whether a text may be a URL with credentials. A pattern would search a body of slashes for hours. */
function mayContainCredentials(text: string): boolean {
  const slashes = text.indexOf('//');
  return slashes !== -1 && text.includes('@', slashes);
}

const types: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  url: 'a URL such as https://example.com',
  email: 'an email address such as name@example.com',
  hostname: 'a host name such as example.com',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 range such as 10.0.0.0/8',
  cidrv6: 'an IPv6 range such as 2001:db8::/32',
  date: 'a date such as 2026-01-31',
};

/** Returns the rule that a value breaks, to follow the word "must". */
function describeRule(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `be ${types[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(describeValue).join(', ')}`;
    case 'too_small':
      return describeLimit(issue, issue.inclusive === false ? 'more than' : 'at least', Number(issue.minimum));
    case 'too_big':
      return describeLimit(issue, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum));
    case 'invalid_format':
      return describeFormat(issue);
    case 'not_multiple_of':
      return `be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `not have the fields ${issue.keys.slice(0, KEYS_SHOWN).map(describeValue).join(', ')}`;
    case 'invalid_key':
      return `have another name (${issue.issues.map(describeNameRule).join(', ')})`;
    case 'invalid_union':
      return describeUnion(issue);
    case 'invalid_element':
    case 'custom':
      return 'be valid';
  }
}

const describeNameRule = (issue: Issue): string => issue.message || `must ${describeRule(issue)}`;

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function describeLimit(
  { code, origin, exact }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  comparison: string,
  limit: number,
): string {
  const unit = units[origin];
  if (unit === undefined) return `be ${comparison} ${limit}`;
  if (code === 'too_small' && limit === 1) return 'not be empty';
  return `have ${exact === true ? 'exactly' : comparison} ${limit} ${unit[limit === 1 ? 0 : 1]}`;
}

function describeFormat(issue: z.core.$ZodIssueInvalidStringFormat): string {
  const { format, pattern } = issue;
  if (format === 'regex') return `match the pattern ${pattern}`;
  if (format !== 'url' || pattern === undefined) return `be ${formats[format] ?? `a valid ${format}`}`;
  const part = 'note' in issue && issue.note === 'Invalid hostname' ? 'host name' : 'protocol';
  return `be a URL whose ${part} matches /${pattern}/`;
}

/** Returns the options of a discriminator, or the rule of each branch. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  if (issue.inclusive !== false && issue.options !== undefined)
    return `be one of ${issue.options.map(describeValue).join(', ')}`;
  const branches: readonly (readonly Issue[])[] = issue.errors;
  const rules = branches.map(([first]) => {
    if (first === undefined) return 'be valid';
    return first.path.length === 0 ? describeRule(first) : `have a valid ${first.path.join('.')}`;
  });
  return [...new Set(rules)].join(' or ') || 'be valid';
}
