package com.android.build.api.variant;

import com.android.build.api.dsl.SdkComponents;

import kotlin.Unit;
import kotlin.jvm.functions.Function1;

import org.gradle.api.Action;

@SuppressWarnings("overloads") // as they are
public interface AndroidComponentsExtension<D, B extends VariantBuilder, V extends Variant> {
    SdkComponents getSdkComponents();

    VariantSelector selector();

    void onVariants(VariantSelector selector, Action<V> callback);

    void onVariants(VariantSelector selector, Function1<? super V, Unit> callback);
}
