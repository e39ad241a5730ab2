package jdk.internal.vm.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Only for the compiler: HotSpot of JDK 9 and later knows it by name in classes of the boot loader, other
 * machines and loaders ignore it. Elements of the array that are not 0 are constants.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Stable {}
