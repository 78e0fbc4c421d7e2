/** Content-safety rules for requests and responses, applied from memory. */

import { type SafetyRuleId, safetyRuleId } from '@switchyard/contract/ids';
import {
  type contentSafety,
  RULES_MAX,
  type SafetyRule,
  type SafetyRuleForm,
  type SafetyRuleWithWords,
  type SafetyTrial,
} from '@switchyard/contract/operations/content-safety';
import type { RouteInput } from '@switchyard/contract/route';
import type { Context } from '../../context.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { AppError, alreadyExists, fieldError, notFound } from '../../platform/http/app-error.ts';
import { ContentModerator } from './content-moderator.ts';
import { createLoadedRules, type LoadedRule, type LoadedRules, parseGroups, type RuleRow } from './loaded-rules.ts';
import { isSearchable } from './word-matcher.ts';

export { ContentModerator } from './content-moderator.ts';
export {
  type CheckResult,
  callModerationWebhook,
  evaluateScores,
  splitIntoChunks,
} from './external-checks.ts';
export type { GroupRules, LoadedRule, LoadedRules } from './loaded-rules.ts';

const DAYS_SHOWN = 7;
/** Maximum characters of all lists; each takes several hundred bytes in the matcher. */
const CHARACTERS_MAX = 500_000;

type TrialRequest = RouteInput<(typeof contentSafety)['try']>['body'];

const counters = new WeakMap<Context, SafetyCounter>();

/** Returns the counter of this server. */
export function getSafetyCounter(ctx: Context): SafetyCounter {
  const counts = counters.get(ctx) ?? createSafetyCounter(ctx);
  counters.set(ctx, counts);
  return counts;
}

/** Loads the rules, and keeps them current. */
export async function loadContentSafety(ctx: Context): Promise<LoadedRules> {
  let rules = await loadRules(ctx);
  ctx.changes.subscribe(async ({ topic }) => {
    if (topic === 'content-safety') rules = await loadRules(ctx);
  });
  return { forGroup: (group) => rules.forGroup(group) };
}

/** Loads the rules. Cached, because building the matcher is expensive. */
const loadRules = cacheUntilChanged('content-safety', async (ctx: Context): Promise<LoadedRules> => {
  const rows = await ctx.db.writer
    .selectFrom('safety_rule')
    .selectAll()
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute();
  return createLoadedRules(ctx, rows);
});

export async function listRules(ctx: Context): Promise<SafetyRule[]> {
  const rows = await ctx.db.writer.selectFrom('safety_rule').selectAll().orderBy('id').execute();
  const counts = await ctx.db.writer
    .selectFrom('safety_day')
    .select(['rule_id', ({ fn }) => fn.sum<number>('found').as('found')])
    .where('day', '>', getCurrentDay(ctx.clock) - DAYS_SHOWN)
    .groupBy('rule_id')
    .execute();
  const found = new Map(counts.map((count) => [count.rule_id, count.found]));
  return rows.map((row) => present(row, found.get(row.id) ?? 0));
}

/** @throws AppError `not-found` */
export async function getRule(ctx: Context, id: SafetyRuleId): Promise<SafetyRuleWithWords> {
  const row = await findRow(ctx, id);
  return { ...present(row, 0), words: splitWords(row) };
}

/** @throws AppError `conflict` when there are too many; at the field for words without searchable characters */
export async function createRule(ctx: Context, form: SafetyRuleForm): Promise<SafetyRule> {
  const values = columnsOf(form);
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    const others = await trx.selectFrom('safety_rule').select(['name', 'words']).execute();
    if (others.length >= RULES_MAX)
      throw new AppError('conflict', `You have reached the limit of ${RULES_MAX} rules. Delete one first.`);
    checkAgainstOthers(others, values);
    const { id } = await trx
      .insertInto('safety_rule')
      .values({ ...values, secret_sealed: '' })
      .returning('id')
      .executeTakeFirstOrThrow();
    return trx
      .updateTable('safety_rule')
      .set({ secret_sealed: sealSecret(ctx, id, form.secret) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  await ctx.changes.publish({ topic: 'content-safety' });
  return present(row, 0);
}

/** Updates a rule. A secret is bound to its address. @throws AppError `not-found`, or at the field */
export async function updateRule(ctx: Context, id: SafetyRuleId, form: SafetyRuleForm): Promise<SafetyRule> {
  const before = await findRow(ctx, id);
  if (form.secret === '' && before.secret_sealed !== '' && form.url !== '' && form.url !== before.url)
    throw fieldError('secret', 'required', 'Enter the secret again for the new address');
  const keepsSecret = form.secret === '' && form.url === before.url;
  const values = columnsOf(form);
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    const others = trx.selectFrom('safety_rule').select(['name', 'words']).where('id', '!=', id);
    checkAgainstOthers(await others.execute(), values);
    return trx
      .updateTable('safety_rule')
      .set({ ...values, ...(keepsSecret ? {} : { secret_sealed: sealSecret(ctx, id, form.secret) }) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
  });
  if (row === undefined) throw notFound('rule', id);
  await ctx.changes.publish({ topic: 'content-safety' });
  return present(row, 0);
}

/** @throws AppError `not-found` */
export async function removeRule(ctx: Context, id: SafetyRuleId): Promise<string> {
  const { name } = await findRow(ctx, id);
  await ctx.db.writer.deleteFrom('safety_rule').where('id', '=', id).execute();
  await ctx.db.writer.deleteFrom('safety_day').where('rule_id', '=', id).execute();
  await ctx.changes.publish({ topic: 'content-safety' });
  return name;
}

/** Tests a text against the word lists alone; calls no external check. */
export async function testText(ctx: Context, { text, group, place }: TrialRequest): Promise<SafetyTrial> {
  const lists = (await loadRules(ctx)).forGroup(group)?.words[place];
  const found: LoadedRule[] = [];
  if (lists === undefined) return { refused: false, text, found: [] };
  const check = new ContentModerator(lists, (rule) => found.push(rule));
  const [covered = text] = check.mask([text]);
  return {
    refused: check.isRefused,
    text: covered,
    found: found.map(({ id, name, action }) => ({ id: safetyRuleId.parse(id), name, action })),
  };
}

async function findRow(ctx: Context, id: SafetyRuleId): Promise<RuleRow> {
  const row = await ctx.db.writer.selectFrom('safety_rule').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('rule', id);
  return row;
}

function columnsOf(form: SafetyRuleForm): Omit<RuleRow, 'id' | 'secret_sealed'> {
  const { secret: _, enabled, input, output, groups, words, thresholds, ...rest } = form;
  checkForm(form);
  return {
    ...rest,
    enabled: enabled ? 1 : 0,
    input: input ? 1 : 0,
    output: output ? 1 : 0,
    groups: JSON.stringify(groups),
    words: [...new Set(words)].join('\n'),
    thresholds: JSON.stringify(thresholds),
  };
}

/** @throws AppError at the field that does not fit the kind */
function checkForm({ kind, action, input, output, words, model, url }: SafetyRuleForm): void {
  const isWords = kind === 'words';
  if (!input && !output) throw fieldError('input', 'required', 'Select requests, responses or both');
  if (!isWords && action === 'mask') throw fieldError('action', 'invalid', 'Only word lists support masking');
  if (!isWords && output) throw fieldError('output', 'invalid', 'Only word lists can check responses');
  if (isWords && words.length === 0) throw fieldError('words', 'required', 'A word list needs at least one word');
  if (!words.every(isSearchable)) throw fieldError('words', 'invalid', 'A word has no searchable characters');
  if (kind === 'moderation' && model === '') throw fieldError('model', 'required', 'Enter the model of the check');
  if (kind === 'webhook' && url === '') throw fieldError('url', 'required', 'Enter the webhook URL of the check');
}

/**
 * @throws AppError at the field: names must be unique, since records contain them, and the total size of words is
 * limited
 */
function checkAgainstOthers(
  others: readonly Pick<RuleRow, 'name' | 'words'>[],
  { name, words }: Pick<RuleRow, 'name' | 'words'>,
): void {
  if (others.some((other) => other.name === name)) throw alreadyExists('name', `A rule named ${name} already exists`);
  const size = others.reduce((sum, other) => sum + other.words.length, words.length);
  if (size > CHARACTERS_MAX)
    throw fieldError(
      'words',
      'too_big',
      `All word lists together can have at most ${CHARACTERS_MAX} characters, not ${size}`,
      'invalid-input',
      { limit: CHARACTERS_MAX, expected: 'string' },
    );
}

function sealSecret({ vault }: Context, id: number, secret: string): string {
  return secret === '' ? '' : vault.seal('safety-rule', `safety_rule:${id}`, secret);
}

function splitWords({ words }: RuleRow): string[] {
  return words === '' ? [] : words.split('\n');
}

function present(row: RuleRow, found: number): SafetyRule {
  const { id, enabled, input, output, secret_sealed, words: _, ...rest } = row;
  return {
    ...rest,
    id: safetyRuleId.parse(id),
    enabled: enabled === 1,
    input: input === 1,
    output: output === 1,
    groups: parseGroups(row),
    thresholds: JSON.parse(row.thresholds) as SafetyRule['thresholds'],
    word_count: splitWords(row).length,
    has_secret: secret_sealed !== '',
    found,
  };
}

/** Counts rule matches per day. Counts are written periodically. */

export interface SafetyCounter {
  /** Counts a match, once per request and rule. */
  add(ruleId: number): void;
  /** Adds the counts to the table. Counts that cannot be written stay in memory for the next write. */
  write(): Promise<void>;
}

const DAY_MS = 86_400_000;

function getCurrentDay(clock: Context['clock']): number {
  return Math.floor(clock.now() / DAY_MS);
}

function createSafetyCounter({ db, clock }: Pick<Context, 'db' | 'clock'>): SafetyCounter {
  const counted = new Map<string, { day: number; rule_id: number; found: number }>();
  const add = (day: number, rule_id: number, by: number): void => {
    const key = `${day} ${rule_id}`;
    counted.set(key, { day, rule_id, found: (counted.get(key)?.found ?? 0) + by });
  };
  return {
    add: (ruleId) => add(getCurrentDay(clock), ruleId, 1),
    async write() {
      if (counted.size === 0) return;
      const rows = [...counted.values()];
      counted.clear();
      try {
        await db.writer
          .insertInto('safety_day')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['day', 'rule_id'])
              .doUpdateSet((eb) => ({ found: eb('safety_day.found', '+', eb.ref('excluded.found')) })),
          )
          .execute();
      } catch (error) {
        for (const { day, rule_id, found } of rows) add(day, rule_id, found);
        throw error;
      }
    },
  };
}
