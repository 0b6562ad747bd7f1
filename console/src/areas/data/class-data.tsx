import { useSuspenseQuery } from '@tanstack/react-query'
import { Flex } from 'antd'
import { useState } from 'react'
import { type ClassDescription, classesQuery } from '../../api/classes.ts'
import { useApp } from '../../api/use-app.ts'
import { PageNotFound } from '../../parts/page-not-found.tsx'
import { useShownData } from './data-search.ts'
import { EditsProvider } from './edits/edits.tsx'
import { ObjectGrid } from './grid/object-grid.tsx'
import { useColumnChoice } from './grid/use-column-choice.ts'
import { ObjectDrawer } from './object/object-drawer.tsx'
import { Toolbar } from './toolbar/toolbar.tsx'

/** The objects of the class in the URL: the toolbar above, the grid below. */
export function ClassData() {
  const { appId } = useApp()
  const { className } = useShownData()
  const description = useSuspenseQuery(classesQuery(appId)).data.find((one) => one.className === className)
  return description ? <Rows key={className} description={description} /> : <PageNotFound />
}

const NONE: ReadonlySet<string> = new Set()

function Rows({ description }: { readonly description: ClassDescription }) {
  const { where, order } = useShownData()
  const view = `${JSON.stringify(where)} ${order}`
  const [choice, setChoice] = useState<{ readonly view: string; readonly ids: ReadonlySet<string> }>({
    view,
    ids: NONE,
  })
  // A selection under another filter is not visible, so actions must not affect it.
  const selected = choice.view === view ? choice.ids : NONE
  const setSelected = (ids: ReadonlySet<string>) => setChoice({ view, ids })
  const columns = useColumnChoice(description)
  return (
    <EditsProvider>
      <Flex vertical gap={12} style={{ flex: 1, minWidth: 0 }}>
        <Toolbar description={description} columns={columns} selected={selected} onSelect={setSelected} />
        <ObjectGrid key={view} description={description} columns={columns} selected={selected} onSelect={setSelected} />
      </Flex>
      <ObjectDrawer />
    </EditsProvider>
  )
}
