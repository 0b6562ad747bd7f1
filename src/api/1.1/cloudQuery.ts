import { errors } from '../../errors.ts'
import { parseSelect, parseValues } from '../../objects/cql/parse-select.ts'
import { parametersOf } from '../../objects/cql/select.ts'
import { findObjects } from '../../objects/find.ts'
import { parseFindQuery } from '../../objects/query-parameters.ts'
import { withDates } from '../../objects/where/with-dates.ts'
import { JsonText, ok } from '../call.ts'
import { route } from '../route.ts'

/** GET /1.1/cloudQuery — a class query in CQL, the language of the hosted service (spec/rest-details, 13.6). */
export const cloudQuery = route('GET', '/1.1/cloudQuery', async ({ app, query, caller }) => {
  const { cql, pvalues } = query
  if (typeof cql !== 'string' || cql.trim() === '')
    throw errors.invalidCql("The parameter 'cql' is missing, the text of a select.")
  const select = parseSelect(cql, parseValues(pvalues))
  const { fields } = await app.objects.classes.find(select.className)
  // The SDK for JavaScript sends Dates among the values as ISO texts.
  const where = withDates(select.where, (field) => fields.get(field)?.type.type === 'Date')
  const found = parseFindQuery({ ...parametersOf(select), where, returnACL: query.returnACL })
  const { results, count } = await findObjects(app.objects, select.className, found, caller)
  const counted = count === undefined ? '' : `,"count":${count}`
  return ok(new JsonText(`{"results":[${results.join(',')}],"className":"${select.className}"${counted}}`))
})
