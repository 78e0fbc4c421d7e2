import { AMOUNT_MAX_USD } from '@switchyard/contract/billing/top-up-cost';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../../ui/format/use-format.ts';
import type { AmountProblem } from './amounts.ts';

/** Says what is wrong with an amount. */
export function useAmountSentence(minimum: number): (problem: AmountProblem) => string {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  return (problem) =>
    t(`problem.${problem}`, { minimum: format.usd(minimum), maximum: String(AMOUNT_MAX_USD) });
}
