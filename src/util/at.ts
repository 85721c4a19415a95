/**
 * What stands at a place that is known to be there: for lists whose length was checked a line above.
 *
 * @throws RangeError for a place that is not there after all
 */
export function at<Item>(list: ArrayLike<Item>, index: number): Item {
  const item = list[index < 0 ? list.length + index : index]
  if (item === undefined) throw new RangeError(`there is no item ${index} in a list of ${list.length}`)
  return item
}
