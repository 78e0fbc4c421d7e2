/** Owner of models that the operator added. The built-in ones are part of the relay. */
export interface ModelOwnerTable {
  id: number;
  name: string;
  icon: string;
}
