/** An owner of models that the operator added; the product's own are in the relay. */
export interface ModelOwnerTable {
  id: number;
  name: string;
  icon: string;
}
