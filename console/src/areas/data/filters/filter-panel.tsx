import { Button, Flex, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { Card } from '../../../parts/card.tsx'
import { EntryFault } from '../../../parts/entry/entry-fault.tsx'
import { parseObject, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import { type Condition, useShownData } from '../data-search.ts'
import { FilterGroup } from './filter-group.tsx'
import { fromWhere, type Group, hasUnparsed, toWhere } from './filter-tree.ts'

/** The filter of the rows, as a form or as JSON. */
export function FilterPanel({ description }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('data')
  const { where, show } = useShownData()
  const [mode, setMode] = useState<'click' | 'json'>('click')
  const [group, setGroup] = useState<Group>(() => begun(fromWhere(where), description))
  const [text, setText] = useState('')
  const entered = mode === 'json' ? parsed(text) : hasUnparsed(group) ? null : toWhere(group)
  const switchTo = (next: 'click' | 'json') => {
    if (next === 'json') setText(JSON.stringify(toWhere(group), null, 2))
    else if (entered instanceof Unparsed) return
    else if (entered) setGroup(fromWhere(entered))
    setMode(next)
  }
  const apply = () =>
    entered && !(entered instanceof Unparsed) && show({ where: Object.keys(entered).length > 0 ? entered : undefined })
  return (
    <Card size="small">
      <Flex vertical gap={12}>
        <Segmented
          aria-label={t('filter.mode')}
          style={{ alignSelf: 'flex-start' }}
          value={mode}
          onChange={switchTo}
          options={[
            { value: 'click', label: t('filter.byClicking') },
            { value: 'json', label: 'JSON', disabled: false },
          ]}
        />
        {mode === 'click' ? (
          <FilterGroup description={description} group={group} onChange={setGroup} depth={0} />
        ) : (
          <div>
            <JsonEditor label={t('filter.json')} value={text} onChange={setText} height="160px" />
            <EntryFault value={entered} />
          </div>
        )}
        <Flex wrap gap={8}>
          <Button type="primary" onClick={apply}>
            {t('filter.apply')}
          </Button>
          <Button disabled={where === undefined} onClick={() => show({ where: undefined })}>
            {t('filter.clear')}
          </Button>
        </Flex>
      </Flex>
    </Card>
  )
}

/** Returns the filter to edit: one without a condition starts with one on the first field. */
function begun(group: Group, { fields }: ClassDescription): Group {
  if (group.of.length > 0) return group
  const [field = 'objectId'] = Object.keys(fields)
  return { kind: 'all', of: [{ kind: 'field', field, operator: 'equal', value: undefined }] }
}

function parsed(text: string): Condition | Unparsed {
  return text.trim() === '' ? {} : parseObject(text)
}
