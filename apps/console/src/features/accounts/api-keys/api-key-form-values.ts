import { type ApiKey, apiKeySetting, type CreateApiKey, NEVER } from '@switchyard/contract/accounts/api-keys';
import { pointsAmount } from '@switchyard/contract/money';

export const newValues: CreateApiKey = {
  name: '',
  expired_time: NEVER,
  remain_quota: pointsAmount.parse(0),
  unlimited_quota: true,
  group: '',
  backup_group: '',
  api_rate: 0,
  setting: apiKeySetting.parse({}),
};

export function formValues(apiKey: ApiKey): CreateApiKey {
  const { name, expired_time, unlimited_quota, group, backup_group, api_rate, setting } = apiKey;
  return {
    name,
    expired_time,
    remain_quota: pointsAmount.parse(Math.max(0, apiKey.remain_quota)),
    unlimited_quota,
    group,
    backup_group,
    api_rate,
    setting,
  };
}

/** Derives the lists' switches, which the form does not show: an empty list limits nothing. */
export function withLimitSwitches(values: CreateApiKey): CreateApiKey {
  const { limit_model_setting: models, limits_ip_setting: addresses } = values.setting.limits;
  return {
    ...values,
    setting: {
      ...values.setting,
      limits: {
        ...values.setting.limits,
        limit_model_setting: { enabled: models.models.length > 0, models: models.models },
        limits_ip_setting: { enabled: addresses.whitelist.length > 0, whitelist: addresses.whitelist },
      },
    },
  };
}

/** Returns how many fields of the folded section differ from those of a new token. */
export function changedFields(values: CreateApiKey): number {
  const { limits, heartbeat, strict_translation: isStrict } = values.setting;
  return [
    values.backup_group !== '',
    values.api_rate !== 0,
    Object.values(limits.budgets).some((budget) => budget !== null),
    limits.limit_model_setting.models.length > 0,
    limits.limits_ip_setting.whitelist.length > 0,
    limits.tokens_per_minute !== 0,
    limits.concurrency !== 0,
    heartbeat.enabled,
    isStrict,
  ].filter(Boolean).length;
}
