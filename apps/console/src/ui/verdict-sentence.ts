import type { Verdict } from '@switchyard/contract/usage-records';
import { useTranslation } from 'react-i18next';
import { useCapabilityName } from './capability-name.ts';
import { useFormat } from './use-format.ts';

/** Why a channel was, or was not, chosen. */
export function useVerdictSentence(): (verdict: Verdict) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const capabilityName = useCapabilityName();
  return ({ reason, until, lacks }) =>
    t(`verdict.${reason}`, { until: until > 0 ? format.moment(until) : '', lacks: capabilityName(lacks) });
}
