import Box from '@mui/material/Box';
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { offersModel, resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { isPairs } from '../../../ui/inputs/key-value-rows.ts';
import { PlainInput } from '../../../ui/inputs/plain-input.tsx';

/** Shows how this channel maps a model name, computed by the gateway's own rules. */
export function MappingPreview({ control }: { control: Control<CreateChannel> }) {
  const { t } = useTranslation('channels');
  const [typed, setTyped] = useState('');
  const [models, mapping] = useWatch({ control, name: ['models', 'model_mapping'] });
  const model = typed.trim();
  // While the mapping is edited as JSON, the form may hold an invalid text.
  const { upstreamModel, billedModel } = resolveModelNames(isPairs(mapping) ? mapping : {}, model);
  return (
    <Box
      onKeyDown={(event) => {
        // Prevents Enter from submitting the channel's form, which contains this input.
        if (event.key === 'Enter') event.preventDefault();
      }}
    >
      <PlainInput
        label={t('edits.mapping.tryName')}
        hint={t('edits.mapping.tryHint')}
        field={{ name: 'try_model', value: typed, error: undefined, onChange: setTyped }}
        autoComplete="off"
      />
      <Box aria-live="polite" sx={{ mt: 1, fontSize: '0.8125rem', '&:empty': { display: 'none' } }}>
        {model !== '' &&
          (offersModel(models, model) ? (
            <DescriptionList
              facts={[
                [t('edits.mapping.becomes'), <Name key="becomes">{upstreamModel}</Name>],
                [t('edits.mapping.billedAs'), <Name key="billed">{billedModel}</Name>],
              ]}
            />
          ) : (
            t('edits.mapping.notOffered')
          ))}
      </Box>
    </Box>
  );
}
