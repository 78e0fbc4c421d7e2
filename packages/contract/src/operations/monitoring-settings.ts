import { z } from 'zod';
import { flag, testedChannels, text, wholeNumber } from './setting-schemas.ts';

/** The records of that time are read every minute. */
const alertMinutes = z.int().min(1).max(180);

/** Settings of what watches the channels and balances, and of when it is told. */
export const monitoringSettings = {
  automaticDisableChannel: {
    option: 'AutomaticDisableChannelEnabled',
    group: 'monitoring',
    schema: flag,
    default: true,
  },
  automaticEnableChannel: {
    option: 'AutomaticEnableChannelEnabled',
    group: 'monitoring',
    schema: flag,
    default: true,
  },
  /** Seconds. */
  channelDisableThreshold: {
    option: 'ChannelDisableThreshold',
    group: 'monitoring',
    schema: z.int().min(1).max(3600),
    default: 60,
  },
  quotaRemindThreshold: {
    option: 'QuotaRemindThreshold',
    group: 'monitoring',
    schema: wholeNumber,
    default: 500_000,
  },
  /** Part of an upstream's error text that means the account is unusable; one on each line. */
  disableChannelKeywords: {
    option: 'DisableChannelKeywords',
    group: 'monitoring',
    schema: text,
    default: '',
  },
  /** Anybody may read which share of requests each public model answered, by day. */
  statusPage: { option: 'StatusPageEnabled', group: 'monitoring', schema: flag, default: false },
  /** Minutes between two rounds of scheduled tests; 0: never. */
  scheduledTestMinutes: {
    option: 'ScheduledTestMinutes',
    group: 'monitoring',
    schema: z.int().min(0).max(44_640),
    default: 0,
  },
  scheduledTestChannels: {
    option: 'ScheduledTestChannels',
    group: 'monitoring',
    schema: testedChannels,
    default: 'enabled',
  },
  scheduledTestTag: {
    option: 'ScheduledTestTag',
    group: 'monitoring',
    schema: z.string().trim().max(32),
    default: '',
  },
  /** Makes scheduled tests use a provider's free requests before a paid one. */
  scheduledTestPrefersFree: {
    option: 'ScheduledTestPrefersFreeEnabled',
    group: 'monitoring',
    schema: flag,
    default: true,
  },
  /** Points by the price list; 0: no cap. */
  scheduledTestRunCap: {
    option: 'ScheduledTestRunCap',
    group: 'monitoring',
    schema: wholeNumber,
    default: 50_000,
  },
  /** The same of a UTC day. */
  scheduledTestDayCap: {
    option: 'ScheduledTestDayCap',
    group: 'monitoring',
    schema: wholeNumber,
    default: 500_000,
  },
  /** Points that all users together may spend within the minutes below before it is told; 0: never. */
  alertSpendLimit: { option: 'AlertSpendLimit', group: 'alerts', schema: wholeNumber, default: 0 },
  alertSpendMinutes: {
    option: 'AlertSpendMinutes',
    group: 'alerts',
    schema: alertMinutes,
    default: 60,
  },
  /** Share of failed requests, of the site or of one channel, from which it is told; 0: never. */
  alertErrorPercent: {
    option: 'AlertErrorPercent',
    group: 'alerts',
    schema: z.int().min(0).max(100),
    default: 0,
  },
  alertErrorMinutes: {
    option: 'AlertErrorMinutes',
    group: 'alerts',
    schema: alertMinutes,
    default: 10,
  },
  /** Minimum number of requests for which an error rate is computed. */
  alertErrorMinimum: {
    option: 'AlertErrorMinimum',
    group: 'alerts',
    schema: z.int().min(1).max(1_000_000),
    default: 20,
  },
} as const;
