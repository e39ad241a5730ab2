package com.android.build.api.variant;

public interface Variant extends Component {
}
