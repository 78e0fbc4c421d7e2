import { ApiError } from '@switchyard/contract/billing/exchange';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-notify-error.ts';

/** Says of a call to a vendor what is wrong and what to do, with the vendor's own words. */
export function useNotifyProblem(): (error: unknown) => void {
  const { t } = useTranslation('channels');
  const notifyError = useNotifyError();
  return (error) => {
    const problem = error instanceof ApiError ? error.problem : undefined;
    if (!(error instanceof ApiError) || problem === undefined) return notifyError(error);
    const sentences = [t(`tests.problem.${problem}.is`), t(`tests.problem.${problem}.do`)];
    notify('error', sentences.join(' '), { detail: error.message });
  };
}
