import { ApiError } from '@switchyard/contract/exchange';
import { type ProcessorType, processorTypeFacts } from '@switchyard/contract/processor-types';
import { useCallback } from 'react';

/** The server may name a field of the configuration by itself; in the form it stands in `config`. */
export function useConfigRefusal(type: ProcessorType): (error: unknown) => unknown {
  return useCallback(
    (error) => {
      if (!(error instanceof ApiError)) return error;
      const names = new Set(processorTypeFacts[type].fields.map(({ name }) => name));
      const fields = error.fields.map((field) =>
        names.has(field.path) ? { ...field, path: `config.${field.path}` } : field,
      );
      return new ApiError(error.code, error.message, {
        status: error.status,
        fields,
        requestId: error.requestId,
      });
    },
    [type],
  );
}
