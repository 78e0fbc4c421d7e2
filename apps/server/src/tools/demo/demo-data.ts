/** Users, groups and channels of the demonstration. */
import type { Role } from '@switchyard/contract/wire-enums';

export interface DemoModel {
  name: string;
  /** Share of the calls. */
  weight: number;
  inputTokens: number;
  outputTokens: number;
  /** Milliseconds to the first token, and tokens a second after it. */
  firstTokenMs: number;
  tokensPerSecond: number;
  /** Share of the prompts that the provider had cached. */
  cachedShare: number;
}

const chat = { cachedShare: 0.35 };
export const demoModels: readonly DemoModel[] = [
  {
    ...chat,
    name: 'gpt-5-mini',
    weight: 24,
    inputTokens: 1400,
    outputTokens: 320,
    firstTokenMs: 480,
    tokensPerSecond: 140,
  },
  { ...chat, name: 'gpt-5', weight: 11, inputTokens: 2600, outputTokens: 700, firstTokenMs: 1600, tokensPerSecond: 65 },
  { ...chat, name: 'gpt-4o', weight: 9, inputTokens: 1200, outputTokens: 350, firstTokenMs: 420, tokensPerSecond: 95 },
  {
    ...chat,
    name: 'gpt-4o-mini',
    weight: 10,
    inputTokens: 900,
    outputTokens: 240,
    firstTokenMs: 340,
    tokensPerSecond: 120,
  },
  {
    ...chat,
    name: 'claude-sonnet-4-5',
    weight: 17,
    inputTokens: 5200,
    outputTokens: 620,
    firstTokenMs: 900,
    tokensPerSecond: 75,
  },
  {
    ...chat,
    name: 'claude-haiku-4-5',
    weight: 9,
    inputTokens: 2100,
    outputTokens: 300,
    firstTokenMs: 450,
    tokensPerSecond: 150,
  },
  {
    ...chat,
    name: 'deepseek-chat',
    weight: 6,
    inputTokens: 1800,
    outputTokens: 480,
    firstTokenMs: 1100,
    tokensPerSecond: 45,
  },
  {
    ...chat,
    name: 'gemini-2.5-flash',
    weight: 5,
    inputTokens: 3000,
    outputTokens: 380,
    firstTokenMs: 380,
    tokensPerSecond: 180,
  },
  {
    ...chat,
    name: 'gpt-oss-120b',
    weight: 2,
    inputTokens: 1500,
    outputTokens: 420,
    firstTokenMs: 2400,
    tokensPerSecond: 18,
  },
  {
    name: 'text-embedding-3-small',
    weight: 7,
    inputTokens: 2400,
    outputTokens: 0,
    firstTokenMs: 160,
    tokensPerSecond: 1,
    cachedShare: 0,
  },
];

export interface DemoChannel {
  name: string;
  /** Channel type of the provider in the management API. */
  type: 1 | 3 | 8 | 14;
  models: readonly string[];
  groups: readonly string[];
  priority: number;
  weight: number;
  tag: string;
  /** Factor for the latencies of the models. */
  slowness: number;
  /** Factor between the operator's cost and the list price. */
  costRatio: number;
  status: 'enabled' | 'disabled' | 'auto-disabled';
  disabledReason?: string;
}

const allGroups = ['default', 'vip', 'svip', 'research'];
const openai = ['gpt-5', 'gpt-5-mini', 'gpt-4o', 'gpt-4o-mini', 'text-embedding-3-small'];
const claude = ['claude-sonnet-4-5', 'claude-haiku-4-5'];
const usual = {
  groups: allGroups,
  priority: 10,
  weight: 1,
  tag: '',
  slowness: 1,
  costRatio: 0.8,
  status: 'enabled' as const,
};

export const demoChannels: readonly DemoChannel[] = [
  { ...usual, name: 'OpenAI main', type: 1, models: openai, weight: 3, tag: 'openai' },
  { ...usual, name: 'OpenAI second account', type: 1, models: openai, tag: 'openai', slowness: 1.1 },
  {
    ...usual,
    name: 'OpenAI overflow',
    type: 8,
    models: openai,
    priority: 5,
    tag: 'openai',
    slowness: 1.3,
    costRatio: 0.6,
  },
  { ...usual, name: 'Anthropic main', type: 14, models: claude, weight: 2, tag: 'anthropic' },
  { ...usual, name: 'Anthropic research', type: 14, models: claude, groups: ['research', 'svip'], tag: 'anthropic' },
  { ...usual, name: 'DeepSeek', type: 8, models: ['deepseek-chat', 'deepseek-reasoner'] },
  { ...usual, name: 'Gemini, OpenAI mode', type: 8, models: ['gemini-2.5-flash', 'gemini-2.5-pro'] },
  { ...usual, name: 'Lab vLLM (slow)', type: 8, models: ['gpt-oss-120b'], tag: 'lab', slowness: 3 },
  {
    ...usual,
    name: 'OpenAI old key',
    type: 1,
    models: openai,
    tag: 'openai',
    status: 'auto-disabled',
    disabledReason: 'HTTP 401: Incorrect API key provided',
  },
  { ...usual, name: 'Reseller trial', type: 8, models: ['gpt-4o-mini'], priority: 0, status: 'disabled' },
];

export interface DemoUser {
  username: string;
  displayName: string;
  role: Role;
  group: string;
  /** Share of the calls. */
  weight: number;
  keys: readonly string[];
}

const person = { role: 'user' as const, group: 'default' };
export const demoUsers: readonly DemoUser[] = [
  {
    ...person,
    username: 'mara',
    displayName: 'Mara Lindqvist',
    role: 'admin',
    weight: 6,
    keys: ['notebook', 'evaluation'],
  },
  { ...person, username: 'tomas', displayName: 'Tomás Ferreira', role: 'staff', weight: 5, keys: ['support desk'] },
  {
    ...person,
    username: 'search-team',
    displayName: 'Search team',
    group: 'svip',
    weight: 30,
    keys: ['indexer', 'ranking', 'staging'],
  },
  {
    ...person,
    username: 'support-bot',
    displayName: 'Support bot',
    group: 'vip',
    weight: 24,
    keys: ['production', 'canary'],
  },
  { ...person, username: 'yuki', displayName: '佐藤 由紀', group: 'research', weight: 12, keys: ['thesis', 'agents'] },
  { ...person, username: 'wei', displayName: '陈伟', group: 'research', weight: 10, keys: ['labelling'] },
  { ...person, username: 'docs-pipeline', displayName: 'Docs pipeline', group: 'vip', weight: 14, keys: ['nightly'] },
  { ...person, username: 'amina', displayName: 'Amina Diallo', weight: 6, keys: ['ide'] },
  { ...person, username: 'jonas', displayName: 'Jonas Weber', weight: 5, keys: ['cli', 'editor'] },
  { ...person, username: 'priya', displayName: 'Priya Raman', weight: 5, keys: ['slides'] },
  { ...person, username: 'lucas', displayName: 'Lucas Martin', weight: 3, keys: ['scripts'] },
  { ...person, username: 'sofia', displayName: 'Sofía Romero', weight: 3, keys: ['translation'] },
  { ...person, username: 'noah', displayName: 'Noah Clarke', weight: 2, keys: ['first key'] },
  { ...person, username: 'hana', displayName: 'Hana Novák', weight: 2, keys: ['essay helper'] },
  { ...person, username: 'intern', displayName: 'Intern account', weight: 1, keys: ['trial'] },
];

/** Groups of the demonstration with their ratios, by symbol. */
export const demoGroups = [
  { symbol: 'vip', name: 'VIP', ratio: 0.9, api_rate: 1200, public: false },
  { symbol: 'svip', name: 'SVIP', ratio: 0.8, api_rate: 0, public: false },
  { symbol: 'research', name: 'Research', ratio: 0.75, api_rate: 600, public: true },
];
