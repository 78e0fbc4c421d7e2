import { type JsonObject, listOf, objectOf } from '../../../json/json.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';

/** Fields that refer to contents stored at a vendor; a request with one of them may lack an input. */
export const externalReferenceFields = ['previous_response_id', 'conversation', 'prompt'] as const;

/**
 * Refuses references to contents that only their vendor can read. Turns stored by the gateway have already been
 * inserted, without the reference.
 * @throws InvalidRequestError
 */
export function refuseReferences(body: JsonObject): void {
  const field = [...externalReferenceFields, 'background'].find(
    (field) => body[field] != null && body[field] !== false,
  );
  if (field !== undefined) throw externalReferenceError(field);
  const refersToItem = listOf(body['input']).some((item) => objectOf(item)['type'] === 'item_reference');
  if (refersToItem) throw externalReferenceError('input');
}

function externalReferenceError(field: string): InvalidRequestError {
  const what = field === 'input' ? 'item_reference' : field;
  return new InvalidRequestError(
    `${what} is not available for this model. Send the whole conversation in input, without background.`,
    field,
  );
}
