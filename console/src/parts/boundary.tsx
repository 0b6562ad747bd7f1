import { Typography } from 'antd'
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

interface BoundaryProps {
  readonly children?: ReactNode
}

interface BoundaryState {
  readonly hasFailed: boolean
  /** The content that `hasFailed` is about. */
  readonly children: ReactNode
}

/**
 * Shows a short notice in place of content that cannot be rendered, so that data of an unexpected form costs a cell or a
 * card and never the page. New content is tried again.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false, children: this.props.children }

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true }
  }

  static getDerivedStateFromProps({ children }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return children === state.children ? null : { hasFailed: false, children }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Unshown /> : this.props.children
  }
}

function Unshown() {
  const { t } = useTranslation('parts')
  return (
    <Typography.Text type="danger" role="note">
      {t('unshown')}
    </Typography.Text>
  )
}

/** A boundary around what a function renders, which may be the function that fails. */
export function Guarded({ render }: { readonly render: () => ReactNode }) {
  return (
    <Boundary>
      <Rendered render={render} />
    </Boundary>
  )
}

function Rendered({ render }: { readonly render: () => ReactNode }) {
  return render()
}
