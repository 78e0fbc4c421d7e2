import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from '../../../../ui/feedback/toasts.ts';
import { useErrorText } from '../../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../../ui/form/field-frame.tsx';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { SectionCard } from '../../../../ui/layout/section-card.tsx';
import { monoFont } from '../../../../ui/theme/design-tokens.ts';
import { useRedeem } from '../queries.ts';

/** Redeems a code. */
export function RedeemCard() {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  const sentence = useErrorText();
  const redeem = useRedeem();
  const [code, setCode] = useState(useCodeOfLink());
  const [refusal, setRefusal] = useState<string>();
  const submit = async () => {
    const key = code.trim();
    if (key === '') {
      setRefusal(t('codeEmpty'));
      return;
    }
    try {
      const worth = await redeem.mutateAsync(key);
      setCode('');
      notify('success', t('redeemed', { amount: format.points(worth) }));
    } catch (error) {
      setRefusal(sentence(error));
    }
  };
  return (
    <SectionCard title={t('redeemTitle')}>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        sx={{ display: 'grid', gap: 1.5 }}
      >
        <FieldFrame label={t('code')} error={refusal}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              fullWidth
              value={code}
              onChange={(event) => {
                setCode(event.target.value);
                setRefusal(undefined);
              }}
              error={refusal !== undefined}
              autoComplete="off"
              inputProps={{ 'aria-describedby': describedBy, spellCheck: false, maxLength: 128 }}
              sx={{ fontFamily: monoFont }}
            />
          )}
        </FieldFrame>
        <Button type="submit" variant="outlined" loading={redeem.isPending}>
          {t('redeem')}
        </Button>
      </Box>
    </SectionCard>
  );
}

/** Returns the code in the URL fragment and removes it at once from address bar and history. */
function useCodeOfLink(): string {
  const [code] = useState(() => new URLSearchParams(location.hash.slice(1)).get('code') ?? '');
  useEffect(() => {
    if (code !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }, [code]);
  return code;
}
