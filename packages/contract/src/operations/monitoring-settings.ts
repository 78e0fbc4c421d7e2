import { z } from 'zod';
import { flag, testedChannels, text, wholeNumber } from './setting-schemas.ts';

/** Period of the rules, whose records are read every minute. */
const alertMinutes = z.int().min(1).max(180);

/** Settings of the monitoring of channels and balances, and of its notifications. */
export const monitoringSettings = {
  automaticDisableChannel: {
    option: 'AutomaticDisableChannelEnabled',
    group: 'monitoring',
    schema: flag,
    default: true,
  },
  automaticEnableChannel: { option: 'AutomaticEnableChannelEnabled', group: 'monitoring', schema: flag, default: true },
  /** Seconds. */
  channelDisableThreshold: {
    option: 'ChannelDisableThreshold',
    group: 'monitoring',
    schema: z.int().min(1).max(3600),
    default: 60,
  },
  quotaRemindThreshold: { option: 'QuotaRemindThreshold', group: 'monitoring', schema: wholeNumber, default: 500_000 },
  /** Parts of an upstream's error text that mean that the account is unusable; one per line. */
  disableChannelKeywords: { option: 'DisableChannelKeywords', group: 'monitoring', schema: text, default: '' },
  /** Publishes the share of requests that each public model answered, by day. */
  statusPage: { option: 'StatusPageEnabled', group: 'monitoring', schema: flag, default: false },
  /** Minutes between two runs of scheduled tests; 0: no runs. */
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
  scheduledTestTag: { option: 'ScheduledTestTag', group: 'monitoring', schema: z.string().trim().max(32), default: '' },
  /** Makes scheduled tests use a provider's free requests before a paid one. */
  scheduledTestPrefersFree: {
    option: 'ScheduledTestPrefersFreeEnabled',
    group: 'monitoring',
    schema: flag,
    default: true,
  },
  /** Cap of a run in points by the price list; 0: no cap. */
  scheduledTestRunCap: { option: 'ScheduledTestRunCap', group: 'monitoring', schema: wholeNumber, default: 50_000 },
  /** Cap of a UTC day in points by the price list; 0: no cap. */
  scheduledTestDayCap: { option: 'ScheduledTestDayCap', group: 'monitoring', schema: wholeNumber, default: 500_000 },
  /** Points that all users together may spend within the following minutes before a notification; 0: never. */
  alertSpendLimit: { option: 'AlertSpendLimit', group: 'alerts', schema: wholeNumber, default: 0 },
  alertSpendMinutes: { option: 'AlertSpendMinutes', group: 'alerts', schema: alertMinutes, default: 60 },
  /** Percentage of failed requests, of the site or of one channel, from which a notification is sent; 0: never. */
  alertErrorPercent: { option: 'AlertErrorPercent', group: 'alerts', schema: z.int().min(0).max(100), default: 0 },
  alertErrorMinutes: { option: 'AlertErrorMinutes', group: 'alerts', schema: alertMinutes, default: 10 },
  /** Minimum number of requests for which an error rate is computed. */
  alertErrorMinimum: {
    option: 'AlertErrorMinimum',
    group: 'alerts',
    schema: z.int().min(1).max(1_000_000),
    default: 20,
  },
} as const;
