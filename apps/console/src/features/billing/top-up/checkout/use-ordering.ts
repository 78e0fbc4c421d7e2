import { ApiError } from '@switchyard/contract/billing/exchange';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { newChangeId } from '../../../../change-id.ts';
import { useErrorSentence } from '../../../../ui/feedback/error-sentence.ts';
import { openOutside } from '../../../../ui/markdown/open-outside.ts';
import { useSite } from '../../../site/site/queries.ts';
import { useCreateOrder } from '../../orders/queries.ts';
import { useAmountSentence } from '../balance/use-amount-sentence.ts';
import { payPageUrl } from './pay-page-url.ts';
import { onPhone } from './phone.ts';

interface Purchase {
  uuid: string;
  /** Whole USD. */
  amount: number;
}

/** Makes an order, opens the page where it is paid, and says why there is none. */
export function useOrdering(onOrdered: (tradeNo: string) => void) {
  const create = useCreateOrder();
  const refusalSentence = useOrderRefusal();
  const [refusal, setRefusal] = useState<string>();
  // An order that was made is done with: the next one, even an equal one, is another.
  const [attempt, setAttempt] = useState(newChangeId);

  const order = async ({ uuid, amount }: Purchase) => {
    setRefusal(undefined);
    try {
      const changeId = `${attempt}:${uuid}:${amount}`;
      const made = await create.mutateAsync({ uuid, amount, phone: onPhone(), changeId });
      setAttempt(newChangeId());
      onOrdered(made.trade_no);
      // A browser that allows no new tab now shows the same link in the dialog.
      if (made.type === 'page') openOutside(payPageUrl(made.trade_no));
    } catch (error) {
      setRefusal(refusalSentence(error));
    }
  };
  return { order, pending: create.isPending, refusal, forgetRefusal: () => setRefusal(undefined) };
}

function useOrderRefusal(): (error: unknown) => string {
  const { t } = useTranslation('top-up');
  const sentence = useErrorSentence();
  const amountSentence = useAmountSentence(useSite()?.PaymentMinAmount ?? 1);
  return (error) => {
    if (!(error instanceof ApiError)) return sentence(error);
    const field = error.fields[0];
    if (field?.path === 'amount') {
      if (field.rule === 'below-minimum') return amountSentence('belowMinimum');
      return amountSentence(field.rule === 'too_big' ? 'tooMuch' : 'notWhole');
    }
    return error.code === 'not-found' || field?.path === 'uuid' ? t('gatewayGone') : sentence(error);
  };
}
