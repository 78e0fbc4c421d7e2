import { useTranslation } from 'react-i18next';
import { StatusChip } from '../../../ui/display/chips.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';

/** Nobody has set a price for the model: a fact for users, something to mend for administrators. */
export function DefaultPriceChip() {
  const { t } = useTranslation('models');
  const mayPrice = useHasAccess('prices.write');
  return (
    <StatusChip
      tone={mayPrice ? 'warning' : 'neutral'}
      dot={false}
      hint={t(mayPrice ? 'defaultPriceAdmin' : 'defaultPriceHint')}
    >
      {t('defaultPrice')}
    </StatusChip>
  );
}
