/**
 * Rules for the content of requests and responses by user group: lists of words, and checks by a model or a webhook.
 */
import { z } from 'zod';
import { boundedRecord } from '../bounded-record.ts';
import { safetyRuleId } from '../ids.ts';
import { emptyData, LARGE_BODY_BYTES, routes } from '../route.ts';

/** Maximum number of rules: each word list is a bit of a number. */
export const RULES_MAX = 30;
export const WORDS_MAX = 10_000;
export const WORD_MAX = 100;
const TRY_TEXT_MAX = 100_000;
const BODY_MAX_BYTES = 8 * 1024 * 1024;

/** `moderation`: a model of one of the channels; `webhook`: a server of the operator. */
export const ruleKind = z.enum(['words', 'moderation', 'webhook']);
export const ruleAction = z.enum(['refuse', 'mask', 'flag']);
/** Place where the content was found. */
export const rulePlace = z.enum(['input', 'output']);
export type RuleKind = z.output<typeof ruleKind>;
export type RuleAction = z.output<typeof ruleAction>;
export type RulePlace = z.output<typeof rulePlace>;

const word = z
  .string()
  .trim()
  .min(1)
  .max(WORD_MAX)
  .regex(/^\*?[^*]+\*?$/, 'A * is allowed only at the beginning and at the end of a word');

export const safetyRuleForm = z.object({
  name: z.string().trim().min(1).max(60),
  enabled: z.boolean().default(true),
  kind: ruleKind,
  /** Treatment of a match; only words can be masked. */
  action: ruleAction,
  /** Symbols of user groups; empty: all. */
  groups: z.array(z.string().min(1).max(50)).max(200).default([]),
  input: z.boolean().default(true),
  /** Also checks responses; words only. */
  output: z.boolean().default(false),
  /** Words of a rule of kind `words`. */
  words: z.array(word).max(WORDS_MAX).default([]),
  /** Model of a rule of kind `moderation`, as the channels name it. */
  model: z.string().trim().max(256).default(''),
  /** Address of a rule of kind `webhook`. */
  url: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2_000)]).default(''),
  /** Secret of a rule of kind `webhook`, which signs the calls. Never returned; empty keeps the stored one. */
  secret: z.string().max(200).default(''),
  /** Scores by category at which an external check counts as a match; without any, whatever the check flags counts. */
  thresholds: boundedRecord(z.string().min(1).max(100), z.number().min(0).max(1), 200).default({}),
  timeout_ms: z.int().min(200).max(10_000).default(2_000),
  /** Treatment of a request whose check failed or timed out. */
  on_failure: z.enum(['pass', 'refuse']).default('pass'),
});

export type SafetyRuleForm = z.output<typeof safetyRuleForm>;

const { shape } = safetyRuleForm;
/** Form of a change, which must send every field: one that is left out would get its default, such as `pass`. */
const changedRuleForm = safetyRuleForm.extend({
  enabled: shape.enabled.unwrap(),
  groups: shape.groups.unwrap(),
  input: shape.input.unwrap(),
  output: shape.output.unwrap(),
  words: shape.words.unwrap(),
  model: shape.model.unwrap(),
  url: shape.url.unwrap(),
  thresholds: shape.thresholds.unwrap(),
  timeout_ms: shape.timeout_ms.unwrap(),
  on_failure: shape.on_failure.unwrap(),
});

const safetyRule = safetyRuleForm.omit({ secret: true, words: true }).extend({
  id: safetyRuleId,
  word_count: z.int(),
  has_secret: z.boolean(),
  /** Number of matches in the last seven days, today included. */
  found: z.int(),
});
export type SafetyRule = z.output<typeof safetyRule>;

const wholeRule = safetyRule.extend({ words: z.array(z.string()) });
export type SafetyRuleWithWords = z.output<typeof wholeRule>;

const trial = z.object({
  refused: z.boolean(),
  /** Text that would be forwarded, with redacted parts masked. */
  text: z.string(),
  /** Word lists that match the text. */
  found: z.array(z.object({ id: safetyRuleId, name: z.string(), action: ruleAction })),
});
export type SafetyTrial = z.output<typeof trial>;

const byId = z.object({ id: safetyRuleId });

export const contentSafety = routes({
  list: {
    method: 'GET',
    path: '/api/content_safety/rules',
    access: 'root',
    summary: 'List the content safety rules, without their words',
    answer: z.array(safetyRule),
  },
  get: {
    method: 'GET',
    path: '/api/content_safety/rules/:id',
    access: 'root',
    summary: 'Retrieve a rule with its words',
    params: byId,
    answer: wholeRule,
  },
  create: {
    method: 'POST',
    path: '/api/content_safety/rules',
    access: 'root',
    stepUp: true,
    bodyMaxBytes: BODY_MAX_BYTES,
    summary: 'Create a rule',
    body: safetyRuleForm,
    answer: safetyRule,
  },
  update: {
    method: 'PUT',
    path: '/api/content_safety/rules/:id',
    access: 'root',
    stepUp: true,
    bodyMaxBytes: BODY_MAX_BYTES,
    summary: 'Update a rule',
    params: byId,
    body: changedRuleForm,
    answer: safetyRule,
  },
  remove: {
    method: 'DELETE',
    path: '/api/content_safety/rules/:id',
    access: 'root',
    summary: 'Delete a rule',
    params: byId,
    answer: emptyData,
  },
  try: {
    method: 'POST',
    path: '/api/content_safety/try',
    access: 'root',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Test the word lists with a text; nothing is counted',
    body: z.object({ text: z.string().min(1).max(TRY_TEXT_MAX), group: z.string().min(1).max(50), place: rulePlace }),
    answer: trial,
  },
});
